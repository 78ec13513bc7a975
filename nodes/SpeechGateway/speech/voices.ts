import type { IDataObject } from 'n8n-workflow';
import { asError, InputError } from '../core/errors';
import type { Voice } from '../fields/voice';
import { idIn } from '../core/json';
import type { ItemRequests } from '../requests/itemRequests';
import { fetchVoices } from '../requests/lists';
import { spendExtra } from '../requests/session';
import { type NarrationInput, type Plan, tokensToSend, type VoiceIds, voicesToAsk } from './plan';

/** The id in what the gateway says of a voice. */
export const voiceIdIn = (voice: Record<string, unknown>): string | undefined =>
	idIn(voice, '_id', 'id', 'voice_id');

/** The title in what the gateway says of a voice, as it is compared: another program may have put spaces around it. */
export const titleIn = ({ title }: IDataObject): string =>
	typeof title === 'string' ? title.trim() : '';

/** The ID of a voice; its title if that is all that is known. */
export const voiceNameOf = (voice: Voice, ids: VoiceIds = {}): string =>
	typeof voice === 'string' ? voice : (ids[voice.title] ?? voice.title);

const MOST_TITLES_SHOWN = 10;

/**
 * The IDs of voices by title. Free: one list a run and model, and none when there is no title. Throws InputError when the account
 * has no voice with a title, or several.
 */
export async function voiceIds(
	item: ItemRequests,
	model: string,
	voices: Voice[],
): Promise<VoiceIds> {
	const titles = new Set(voices.flatMap((voice) => (typeof voice === 'string' ? [] : voice.title)));
	const before = item.ledger.voices;
	if (titles.size === 0) return before;
	const own = await item.session.share(
		`voices of ${model}`,
		async () => await fetchVoices(item, model),
	);
	const ids = Object.fromEntries([...titles].map((title) => [title, onlyId(own, title)]));
	item.ledger.ask({ voices: { ...before, ...ids } });
	return { ...before, ...ids };
}

/**
 * The plan of an item with the IDs of its voices. A voice that was cloned anew under its title is another voice: its parts are
 * spoken again, as far as the spending limit allows. `problem`: why no more is sent of a text that is paid for in part.
 */
export async function planWithVoices<I extends NarrationInput>(
	item: ItemRequests,
	input: I,
	makePlan: (input: I, ids?: VoiceIds) => Plan,
): Promise<{ plan: Plan; problem?: Error }> {
	const expected = makePlan(input);
	try {
		const ids = await voiceIds(item, input.model, voicesToAsk(expected));
		const plan = makePlan(input, ids);
		const extraTokens = tokensToSend(input, plan) - tokensToSend(input, expected);
		const beyond = extraTokens > 0 ? spendExtra(item.session, extraTokens, input.tokensToSpare) : 0;
		if (beyond > 0) throw tooDear(beyond);
		return { plan };
	} catch (error) {
		item.session.transport.cancel?.throwIfAborted();
		if (!item.ledger.maybeCharged) throw asError(error);
		return { plan: expected, problem: asError(error) };
	}
}

const tooDear = (tokens: number) =>
	new InputError(
		`A voice is another one than in the previous version, and all of its parts would pass "Spending Limit (Tokens)" by ${tokens} tokens`,
		'Nothing was sent for this item. Choose the voice by its ID, or raise the limit.',
	);

/** Checks that the account has the voices that are named by title; undefined when there are none. Throws as `voiceIds` does. */
export const checkVoices = (
	item: () => ItemRequests,
	model: string,
	voices: Voice[],
): Promise<unknown> | undefined =>
	voices.some((voice) => typeof voice !== 'string') ? voiceIds(item(), model, voices) : undefined;

function onlyId(own: IDataObject[], title: string): string {
	const ids = own
		.filter((voice) => titleIn(voice) === title)
		.flatMap((voice) => voiceIdIn(voice) ?? []);
	if (ids.length === 1) return ids[0];
	if (ids.length > 1) {
		throw new InputError(
			`${ids.length} voices have the title "${title}": ${ids.slice(0, MOST_TITLES_SHOWN).join(', ')}`,
			'Choose one of them from the list or by its ID. Nothing was sent for this item.',
		);
	}
	const titles = own.map(titleIn).filter((known) => known !== '');
	const known = titles.slice(0, MOST_TITLES_SHOWN).map((one) => `"${one}"`);
	if (titles.length > known.length) known.push('…');
	throw new InputError(
		`The account has no voice with the title "${title}"`,
		`${known.length > 0 ? `Its voices: ${known.join(', ')}.` : 'It has no cloned voices yet: make one with Voice → Clone.'} Nothing was sent for this item.`,
	);
}
