import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';
import { findOperation } from './operations';
import {
	credentialRules,
	outputsExpression,
	properties,
	subtitleExpression,
} from './operations/description';
import { searchModels, searchOwnVoices, searchVoicesWithDefault } from './operations/listSearch';
import { runItems } from './run/runItems';

export class SpeechGateway implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Speech Gateway',
		name: 'speechGateway',
		icon: { light: 'file:speechGateway.svg', dark: 'file:speechGateway.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: subtitleExpression(),
		description:
			'Narrate text of any length, clone voices, chat and make videos, without ever being charged twice',
		defaults: { name: 'Speech Gateway' },
		waitingNodeTooltip:
			'The execution sleeps until it looks again. The items below show what it waits for.',
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: outputsExpression(),
		credentials: [{ name: 'speechGatewayApi', required: true, displayOptions: credentialRules() }],
		properties: properties(),
	};

	methods = { listSearch: { searchModels, searchOwnVoices, searchVoicesWithDefault } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const resource = this.getNodeParameter('resource', 0) as string;
		const name = this.getNodeParameter('operation', 0) as string;
		const operation = findOperation(resource, name);
		if (!operation)
			throw new NodeOperationError(
				this.getNode(),
				`There is no operation "${name}" of "${resource}"`,
			);
		return await runItems(this, operation);
	}
}
