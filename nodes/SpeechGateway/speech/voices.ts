import type { IDataObject } from 'n8n-workflow';
import { InputError } from '../core/errors';
import type { Voice } from '../fields/voice';
import { idIn } from '../core/json';
import type { ItemRequests } from '../requests/itemRequests';
import { fetchVoices } from '../requests/lists';

/** The id in what the gateway says of a voice. */
export const voiceIdIn = (voice: Record<string, unknown>): string | undefined =>
	idIn(voice, '_id', 'id', 'voice_id');

/** What to call a voice of which no more is known. */
export const voiceName = (voice: Voice): string =>
	typeof voice === 'string' ? voice : voice.title;

const MOST_TITLES_SHOWN = 10;

/**
 * The ids of voices. Free: one list a run and model, and none when all are ids already, or were looked up for what the item has
 * paid for. Throws InputError when the account has no voice with a title, or several.
 */
export async function voiceIds(
	item: ItemRequests,
	model: string,
	voices: Voice[],
): Promise<(voice: Voice) => string> {
	const titles = new Set(voices.flatMap((voice) => (typeof voice === 'string' ? [] : voice.title)));
	let { voices: ids } = item.ledger;
	if ([...titles].some((title) => !Object.hasOwn(ids, title))) {
		const own = await item.session.share(
			`voices of ${model}`,
			async () => await fetchVoices(item, model),
		);
		ids = Object.fromEntries([...titles].map((title) => [title, onlyId(own, title)]));
		item.ledger.nameVoices(ids);
	}
	return (voice) => (typeof voice === 'string' ? voice : (ids[voice.title] ?? voice.title));
}

/** Checks that the account has the voices that are named by title; undefined when there are none. Throws as `voiceIds` does. */
export const checkVoices = (
	item: () => ItemRequests,
	model: string,
	voices: Voice[],
): Promise<unknown> | undefined =>
	voices.some((voice) => typeof voice !== 'string') ? voiceIds(item(), model, voices) : undefined;

function onlyId(own: IDataObject[], title: string): string {
	const titleOf = (voice: IDataObject) =>
		typeof voice.title === 'string' ? voice.title.trim() : '';
	const ids = own
		.filter((voice) => titleOf(voice) === title)
		.flatMap((voice) => voiceIdIn(voice) ?? []);
	if (ids.length === 1) return ids[0];
	if (ids.length > 1) {
		throw new InputError(
			`${ids.length} voices have the title "${title}": ${ids.slice(0, MOST_TITLES_SHOWN).join(', ')}`,
			'Choose one of them from the list or by its ID. Nothing was sent for this item.',
		);
	}
	const titles = own.map(titleOf).filter((known) => known !== '');
	const known = titles.slice(0, MOST_TITLES_SHOWN).map((one) => `"${one}"`);
	if (titles.length > known.length) known.push('…');
	throw new InputError(
		`The account has no voice with the title "${title}"`,
		`${known.length > 0 ? `Its voices: ${known.join(', ')}.` : 'It has no cloned voices yet: make one with Voice → Clone.'} Nothing was sent for this item.`,
	);
}
