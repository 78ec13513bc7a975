import {
	type IExecuteFunctions,
	type INodeType,
	type INodeTypeDescription,
	type ISupplyDataFunctions,
	type NodeApiError,
	NodeConnectionTypes,
	NodeOperationError,
	type SupplyData,
} from 'n8n-workflow';
import { asError, OutcomeUnknownError } from '../SpeechGateway/core/errors';
import { Transport } from '../SpeechGateway/gateway/transport';
import { optionsCollection } from '../SpeechGateway/descriptions/optionsCollection';
import { answerFields } from '../SpeechGateway/descriptions/fields/chat';
import { chatModelField } from '../SpeechGateway/descriptions/fields/model';
import { searchModels } from '../SpeechGateway/operations/listSearch';
import { completeCall } from '../SpeechGateway/flows/chat';
import { errorText, nodeError } from '../SpeechGateway/run/errors';
import { group } from '../SpeechGateway/run/fields/field';
import { Parameters } from '../SpeechGateway/run/fields/parameters';
import { settings } from '../SpeechGateway/run/fields/settings';
import { readSettings } from '../SpeechGateway/run/readItems';
import { replayForModel } from '../SpeechGateway/run/requests/replay';
import { openSession } from '../SpeechGateway/run/requests/session';
import type { Complete } from './model';

/** The node above decides how many calls run at once; here they are only held back after "too many requests". */
const CONCURRENCY = 100;

/** What is asked of every answer. */
const answers = group(answerFields);

export class LmChatSpeechGateway implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Speech Gateway Chat Model',
		name: 'lmChatSpeechGateway',
		icon: { light: 'file:speechGateway.svg', dark: 'file:speechGateway.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["model"].value }}',
		description:
			'The chat models of the speech gateway for AI agents and chains, never charged twice',
		defaults: { name: 'Speech Gateway Chat Model' },
		inputs: [],
		outputs: [NodeConnectionTypes.AiLanguageModel],
		outputNames: ['Model'],
		credentials: [{ name: 'speechGatewayApi', required: true }],
		properties: [
			...chatModelField.panel,
			optionsCollection([
				...[settings.maxRetries, settings.timeoutMs].flatMap(({ options }) => options),
				...answers.options,
			]),
		],
	};

	methods = { listSearch: { searchModels } };

	async supplyData(this: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
		const { sdk, Model } = await loadSdk(this);
		// The context of a sub-node has all that is used of an executing node's.
		const context = this as unknown as IExecuteFunctions;
		try {
			const parameters = new Parameters(context, itemIndex);
			const settings = readSettings(parameters);
			const session = openSession(context, await Transport.open(context), CONCURRENCY);
			const replay = replayForModel(context, itemIndex);
			const complete: Complete = async (body, onText) => {
				try {
					return await completeCall({ ...session, context }, settings, replay, body, onText);
				} catch (error) {
					throw modelError(this, error);
				}
			};
			const model = new Model(chatModelField.read(parameters), complete, answers.read(parameters));
			return sdk.supplyModel(this, model);
		} catch (error) {
			throw modelError(this, error);
		}
	}
}

/** Only when it is used: n8n 1 lacks n8n's SDK for AI nodes, and must still load this package. */
async function loadSdk(context: ISupplyDataFunctions) {
	try {
		const sdk = await import('@n8n/ai-node-sdk');
		const { SpeechGatewayChatModel: Model } = await import('./model');
		return { sdk, Model };
	} catch (error) {
		throw new NodeOperationError(
			context.getNode(),
			'The Speech Gateway Chat Model needs a newer n8n (it is tested with n8n 2.41)',
			{
				description: `Update n8n, or use the node Speech Gateway with Chat → Complete. Details: ${asError(error).message}`,
				functionality: 'configuration-node',
			},
		);
	}
}

/** A chat model has no branches: what would go onto the branch "Unknown" is an error that forbids a second try. */
function modelError(
	context: ISupplyDataFunctions,
	error: unknown,
): NodeApiError | NodeOperationError {
	const text = error instanceof OutcomeUnknownError ? unknownText(error) : errorText(error);
	return nodeError(context.getNode(), text, { functionality: 'configuration-node' });
}

const unknownText = ({ message, facts }: OutcomeUnknownError) => ({
	message: `The outcome of this chat request is unknown: it may have been charged and must not be repeated. ${message}`,
	description: `The same messages are not sent again in this execution. Look into the usage log of the gateway before you run it again.${facts.requestId ? ` Request id: ${facts.requestId}.` : ''}`,
	details: {},
});
