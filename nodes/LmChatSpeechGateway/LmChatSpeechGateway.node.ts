import {
	type INodeType,
	type INodeTypeDescription,
	type ISupplyDataFunctions,
	NodeConnectionTypes,
	type SupplyData,
} from 'n8n-workflow';
import { answerFields, chatModelField } from '../SpeechGateway/fields/model';
import { optionsCollection } from '../SpeechGateway/fields/form';
import { searchModels, testGateway } from '../SpeechGateway/methods';
import { settings } from '../SpeechGateway/fields/settings';

/**
 * The chat model for agents and chains, an AI sub-node: n8n asks it for a model (`supplyData`), and the agent above
 * calls that. It shares fields, retries and the rules about money with the action node.
 */
export class LmChatSpeechGateway implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Speech Gateway Chat Model',
		name: 'lmChatSpeechGateway',
		icon: { light: 'file:speechGateway.svg', dark: 'file:speechGateway.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["model"].value }}',
		description: 'Chat models of your speech gateway, for AI agents and chains',
		defaults: { name: 'Speech Gateway Chat Model' },
		inputs: [],
		outputs: [NodeConnectionTypes.AiLanguageModel],
		outputNames: ['Model'],
		credentials: [{ name: 'speechGatewayApi', required: true, testedBy: 'testGateway' }],
		properties: [
			...chatModelField.panel,
			optionsCollection([
				...settings.maxRetries.options,
				...settings.timeoutMs.options,
				...Object.values(answerFields).flatMap(({ options }) => options),
			]),
		],
	};

	methods = { credentialTest: { testGateway }, listSearch: { searchModels } };

	async supplyData(this: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
		// Loaded on first use: n8n loads this file whenever one of its processes starts.
		const { supplyModel } = await import('./supplyModel');
		return await supplyModel(this, itemIndex);
	}
}
