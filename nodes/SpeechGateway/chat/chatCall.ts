import type { IDataObject } from 'n8n-workflow';
import type { ChatReply } from './stream';
import { endpoints } from '../gateway/endpoints';
import { ItemRequests, type ItemSettings } from '../requests/itemRequests';
import { Ledger } from '../requests/ledger';
import { requestKey } from '../requests/requestKey';
import type { Session } from '../requests/session';
import { completeChat, type TextListener } from './completeChat';

/** Calls in progress in this process; a record of any other call is from an earlier attempt. */
const underWay = new Set<string>();

/**
 * Completes a chat for a chat model, whose calls belong to no item. When an earlier call like it may have
 * been charged without an answer in this execution, nothing is sent and OutcomeUnknownError is thrown again. Answers are not
 * remembered: n8n does not tell a retry of an agent from the next item of a chain.
 */
export async function completeCall(
	session: Session,
	settings: ItemSettings,
	body: IDataObject,
	onText?: TextListener,
): Promise<ChatReply> {
	const key = requestKey(endpoints.chat.kind, body);
	const ledger = Ledger.begin(session.execution, 'speechGatewayChatModel', key);
	const earlier = ledger.keys().find((call) => !underWay.has(call));
	const call = earlier ?? crypto.randomUUID();
	const record = ledger.item(call);
	if (earlier === undefined) underWay.add(call);
	try {
		const item = new ItemRequests(session, 0, record, settings);
		return await completeChat(item, body, onText);
	} finally {
		underWay.delete(call);
		if (record.entries().every(({ state }) => state === 'done')) ledger.forget(call);
	}
}
