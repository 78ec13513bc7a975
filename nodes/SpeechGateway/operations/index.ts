import type { INodeExecutionData } from 'n8n-workflow';
import type { Execution } from '../engine/execution';
import { asError, InputError } from '../core/errors';
import { errorText, nodeError } from '../run/errors';
import type { Operation } from '../run/operation';
import { runItems } from '../run/runItems';
import { join as joinAudio } from './audio/join';
import { complete as completeChat } from './chat/complete';
import { getMany as getModels } from './model/getMany';
import { dialogue } from './speech/dialogue';
import { estimate } from './speech/estimate';
import { generate } from './speech/generate';
import { speechJobOperations } from './speechJob/speechJob';
import { videoOperations } from './video/video';
import { create as createVoice } from './voice/create';
import { deleteVoice } from './voice/delete';
import { getMany as getVoices } from './voice/getMany';

/** The implementation of everything that a user can click. */
export const operations: Operation[] = [
	generate,
	dialogue,
	estimate,
	...speechJobOperations,
	createVoice,
	deleteVoice,
	getVoices,
	completeChat,
	joinAudio,
	...videoOperations,
	getModels,
];

/** Runs the operation that the user has chosen, over all items of the node. */
export async function runOperation(execution: Execution): Promise<INodeExecutionData[][]> {
	const resource = execution.context.getNodeParameter('resource', 0);
	const name = execution.context.getNodeParameter('operation', 0);
	const operation = operations.find(
		(known) => known.resource === resource && known.operation === name,
	);
	if (operation) {
		try {
			return await runItems(execution, operation);
		} catch (error) {
			// An error of the run itself, such as a record that cannot be read.
			throw error instanceof InputError
				? nodeError(execution.node, errorText(error))
				: asError(error);
		}
	}
	const message = `There is no operation "${String(name)}" of "${String(resource)}"`;
	throw nodeError(execution.node, { message, description: '', details: {} });
}
