import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import {
	builderHint,
	credentialRules,
	outputsExpression,
	clickHints,
	properties,
	subtitleExpression,
} from './operations/description';
import { searchModels, searchOwnVoices, searchVoicesWithDefault, testGateway } from './methods';

/**
 * The action node. Its description is derived from the forms in `operations/`, which is all that n8n loads at its
 * start; `execute` loads the rest on its first run.
 */
export class SpeechGateway implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Speech Gateway',
		name: 'speechGateway',
		icon: { light: 'file:speechGateway.svg', dark: 'file:speechGateway.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: subtitleExpression(),
		description:
			'Turn text of any length into speech, clone voices, chat and make videos. Retry On Fail never charges you twice.',
		defaults: { name: 'Speech Gateway' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: outputsExpression(),
		credentials: [
			{
				name: 'speechGatewayApi',
				// Estimate does without, but for its lists; any other operation says at once what to do.
				required: false,
				testedBy: 'testGateway',
				displayOptions: credentialRules(),
			},
		],
		hints: clickHints(),
		builderHint,
		properties: properties(),
	};

	methods = {
		credentialTest: { testGateway },
		listSearch: { searchModels, searchOwnVoices, searchVoicesWithDefault },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const { runItems } = await import('./run/runItems');
		const { NodeCall } = await import('./engine/nodeCall');
		return await runItems(new NodeCall(this));
	}
}
