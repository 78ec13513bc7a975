import type { IDataObject } from 'n8n-workflow';
import { InputError } from '../core/errors';
import type { Voice } from '../fields/voice';
import { idIn } from '../core/json';
import type { ItemRequests } from '../requests/itemRequests';
import { fetchVoices } from '../requests/lists';
import type { VoiceIds } from '../requests/records';

/** The id in what a service says of a voice; some have names alone. */
export const voiceIdIn = (voice: Record<string, unknown>): string | undefined =>
	idIn(voice, '_id', 'id', 'voice_id', 'voice_name', 'name');

/** What a voice is called, as it is compared: another program may have put spaces around it. */
const titlesIn = (voice: IDataObject): string[] =>
	[voice.title, voice.name, voice.voice_name].flatMap((title) =>
		typeof title === 'string' && title.trim() !== '' ? title.trim() : [],
	);

/** The title in what a service says of a voice, or its ID; empty if there is neither. */
export const titleIn = (voice: IDataObject): string => titlesIn(voice)[0] ?? voiceIdIn(voice) ?? '';

/** The ID of a voice; its title if that is all that is known. */
export const voiceNameOf = (voice: Voice, ids: VoiceIds = {}): string =>
	typeof voice === 'string' ? voice : (ids[voice.title] ?? voice.title);

/**
 * The IDs of voices by title. Free: asks for one list a run and model, and for none where no voice has a title
 * (undefined, so that nothing waits). Throws InputError when the account has no voice with a title, or several.
 */
export function lookUpVoices(
	item: () => ItemRequests,
	model: string,
	voices: Voice[],
): Promise<VoiceIds> | undefined {
	const titles = new Set(voices.flatMap((voice) => (typeof voice === 'string' ? [] : voice.title)));
	return titles.size > 0 ? idsOf(item(), model, titles) : undefined;
}

async function idsOf(item: ItemRequests, model: string, titles: Set<string>): Promise<VoiceIds> {
	const own = await item.session.share(
		`voices of ${model}`,
		async () => await fetchVoices(item, model),
	);
	const ids = Object.fromEntries([...titles].map((title) => [title, onlyId(own, title)]));
	item.ledger.ask({ voices: { ...item.ledger.voices, ...ids } });
	return ids;
}

/** How a title is compared where nothing is written quite so: any case, and letters composed or not. */
const folded = (title: string): string => title.trim().normalize('NFC').toLowerCase();

/** By what a voice is found, in this order. */
const MATCHES: Array<(voice: IDataObject, title: string) => boolean> = [
	(voice, title) => titlesIn(voice).includes(title),
	(voice, title) => voiceIdIn(voice) === title,
	(voice, title) =>
		[...titlesIn(voice), voiceIdIn(voice) ?? ''].some((one) => folded(one) === folded(title)),
];

/** How many voices an error names. */
const MOST_VOICES_SHOWN = 10;
const NEAREST = 3;

/**
 * The id of the one voice of a title, by the first kind of match that gives exactly one. Two of a title may sound
 * differently, so none is taken by chance: throws InputError.
 */
function onlyId(own: IDataObject[], title: string): string {
	const found = MATCHES.map((matches) => [
		...new Set(own.filter((voice) => matches(voice, title)).flatMap((one) => voiceIdIn(one) ?? [])),
	]);
	const [only] = found.find((ids) => ids.length === 1) ?? [];
	if (only !== undefined) return only;
	const several = found.find((ids) => ids.length > 1);
	if (several) {
		throw new InputError(
			`${several.length} voices have the title "${title}": ${several.slice(0, MOST_VOICES_SHOWN).join(', ')}`,
			'Choose one of them from the list or by its ID. Nothing was sent for this item.',
		);
	}
	const near = nearest(
		own.map(titleIn).filter((one) => one !== ''),
		title,
	).map((one) => `"${one}"`);
	const [advice] = [
		near.length === 0 && 'It has no voices yet: make one with Voice → Clone.',
		near.length === own.length && `Its voices: ${near.join(', ')}.`,
		`The nearest of its ${own.length} voices: ${near.join(', ')}.`,
	].filter((one) => one !== false);
	throw new InputError(
		`The account has no voice with the title "${title}"`,
		`${advice} Nothing was sent for this item.`,
	);
}

/** The titles that share the most pairs of letters with what was looked for. */
function nearest(titles: string[], title: string): string[] {
	const pairsOf = (text: string) =>
		new Set(Array.from(folded(text), (letter, at) => letter + (folded(text)[at + 1] ?? '')));
	const wanted = pairsOf(title);
	const alike = (text: string) => {
		const pairs = pairsOf(text);
		const shared = [...pairs].filter((pair) => wanted.has(pair)).length;
		return (2 * shared) / (pairs.size + wanted.size);
	};
	return titles
		.map((text) => ({ text, score: alike(text) }))
		.sort((one, other) => other.score - one.score)
		.slice(0, NEAREST)
		.map(({ text }) => text);
}
