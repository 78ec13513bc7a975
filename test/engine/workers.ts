import type { IExecuteFunctions, INodeType } from 'n8n-workflow';
import { SpeechGateway } from '../../nodes/SpeechGateway/SpeechGateway.node';

/** Results of more than this are forgotten, bytes. */
const MEMORY_BYTES = 64 * 2 ** 20;

export interface Worker {
	/** The node with the memory of this worker. */
	nodeType: INodeType;
	/** It is started anew. */
	restart(): void;
}

/** A process of n8n that shares nothing with others but the database. */
export async function startWorker(): Promise<Worker> {
	let worker: Worker | undefined;
	await jest.isolateModulesAsync(async () => {
		const { runItems } = await import('../../nodes/SpeechGateway/run/runItems');
		const { NodeCall } = await import('../../nodes/SpeechGateway/engine/nodeCall');
		const { keep } = await import('../../nodes/SpeechGateway/run/keptResults');
		const nodeType = new SpeechGateway();
		nodeType.execute = async function (this: IExecuteFunctions) {
			return await runItems(new NodeCall(this));
		};
		worker = {
			nodeType,
			restart: () => keep('something large', ' '.repeat(MEMORY_BYTES)),
		};
	});
	return worker!;
}
