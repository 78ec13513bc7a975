import { supplyModel as supplyTo } from '@n8n/ai-node-sdk';
import {
	type ISupplyDataFunctions,
	type NodeApiError,
	type NodeOperationError,
	type SupplyData,
} from 'n8n-workflow';
import { OutcomeUnknownError } from '../SpeechGateway/core/errors';
import { NodeCall } from '../SpeechGateway/engine/nodeCall';
import { answerFields, chatModelField } from '../SpeechGateway/fields/model';
import { completeCall } from '../SpeechGateway/chat/completeChat';
import { Transport } from '../SpeechGateway/gateway/transport';
import { errorText } from '../SpeechGateway/requests/errorText';
import { nodeError } from '../SpeechGateway/run/errors';
import { withoutCharges } from '../SpeechGateway/run/withoutCharges';
import { group } from '../SpeechGateway/fields/field';
import { Parameters } from '../SpeechGateway/fields/parameters';
import { readSettings } from '../SpeechGateway/fields/settings';
import { openRun, openSession } from '../SpeechGateway/requests/session';
import { type Complete, SpeechGatewayChatModel } from './model';

/** The node above decides how many calls run at once; here they are only held back after "too many requests". */
const CONCURRENCY = 100;

/** The model is a part of the node above: n8n shows its errors there, too. */
const CONFIGURATION = { functionality: 'configuration-node' } as const;

/**
 * The model that an agent or chain is given for one item. All of its calls share one session, so a 429 or a refusal of
 * one holds back the others. Throws n8n's errors; its calls do, too.
 */
export async function supplyModel(
	supplier: ISupplyDataFunctions,
	itemIndex: number,
): Promise<SupplyData> {
	const nodeCall = new NodeCall(supplier);
	try {
		const parameters = new Parameters(nodeCall, itemIndex);
		const options = Object.values(answerFields).flatMap((field) => field.options);
		parameters.refuseLiterals(chatModelField.panel, options);
		const settings = readSettings(parameters);
		const transport = await Transport.open(supplier, itemIndex);
		const session = openSession(openRun(nodeCall, CONCURRENCY), transport);
		const complete: Complete = async (body, onText) => {
			try {
				return await completeCall(session, settings, body(), onText);
			} catch (error) {
				throw modelError(supplier, error, transport.account.costsNothing);
			}
		};
		const answers = group(answerFields).read(parameters);
		const model = new SpeechGatewayChatModel(chatModelField.read(parameters), complete, answers);
		return supplyTo(supplier, model);
	} catch (error) {
		throw modelError(supplier, error);
	}
}

/** A chat model has no branches: what would go onto the branch "Unknown" is an error that forbids a second try. */
function modelError(
	context: ISupplyDataFunctions,
	error: unknown,
	costsNothing = false,
): NodeApiError | NodeOperationError {
	const text = error instanceof OutcomeUnknownError ? unknownText(error) : errorText(error);
	const { failed: said } = costsNothing ? withoutCharges({ failed: text }) : { failed: text };
	return nodeError(context.getNode(), said, CONFIGURATION);
}

const unknownText = ({ message, facts }: OutcomeUnknownError) => ({
	message: `The outcome of this chat request is unknown: it may have been charged and must not be repeated. ${message}`,
	description: `The same messages are not sent again in this execution. Look into the usage log of the gateway before you run it again.${facts.requestId ? ` Request ID: ${facts.requestId}.` : ''}`,
	details: {},
});
