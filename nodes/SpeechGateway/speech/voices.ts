import type { IDataObject } from 'n8n-workflow';
import { InputError } from '../core/errors';
import type { Voice } from '../fields/voice';
import { idIn } from '../core/json';
import type { ItemRequests } from '../requests/itemRequests';
import { fetchVoices } from '../requests/lists';
import type { VoiceIds } from '../requests/records';

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

/** The id of the one voice of a title. Two of a title may sound differently, so none is taken by chance: throws InputError. */
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
	const titles = own.map(titleIn).filter((one) => one !== '');
	const named = titles.slice(0, MOST_TITLES_SHOWN).map((one) => `"${one}"`);
	if (titles.length > named.length) named.push('…');
	throw new InputError(
		`The account has no voice with the title "${title}"`,
		`${named.length > 0 ? `Its voices: ${named.join(', ')}.` : 'It has no cloned voices yet: make one with Voice → Clone.'} Nothing was sent for this item.`,
	);
}
