/** Pauses that a text asks for within parts that were spoken before: they go in where a pause is heard, else they are left out. */
import { AudioInspector, canBeCut, cutInTwo } from '../audio';
import { joinStored } from '../files/joinStored';
import { chunksOf } from '../files/inputFile';
import { storeSlices } from '../files/previousFile';
import type { StoredAudio } from '../files/storeAudio';
import type { ItemRequests } from '../requests/itemRequests';
import { heardAt, type Pause, pausesOf } from './heard';
import { lettersOf } from './oddSegments';
import type { Plan, PlannedPart } from './plan';

/** A pause so near to where the words end is theirs; one so near to an edge of the part is not within it. */
const NEAR_SECONDS = 0.15;

/** The parts with their pauses; hints say which have them, and which can't. */
export async function withInnerPauses(
	item: ItemRequests,
	{ parts }: Plan,
	spoken: StoredAudio[],
): Promise<StoredAudio[]> {
	const all: StoredAudio[] = [];
	const [made, leftOut] = [new Set<number>(), new Set<number>()];
	for (const [index, part] of parts.entries()) {
		let audio = spoken[index];
		// From the last one on, so that the others stay where they are.
		for (const pause of [...(part.pausesWithin ?? [])].reverse()) {
			const longer = await withPause(item, part, spoken[index], audio, pause).catch(
				() => undefined,
			);
			(longer ? made : leftOut).add(index + 1);
			audio = longer ?? audio;
		}
		all.push(audio);
	}
	const { hints } = item.session;
	const of = (numbers: Set<number>) =>
		`segment ${[...numbers].join(', ')} of item ${item.index + 1}`;
	if (made.size > 0) hints.add(`Pauses were put where pauses are heard in ${of(made)}.`);
	if (leftOut.size > 0)
		hints.add(
			`A pause was left out where none is heard, in ${of(leftOut)}: only speaking it again makes one ("Speak Again At").`,
		);
	return all;
}

/** Makes a pause that is heard after some words as long as it is to be. Undefined: none is heard there. */
async function withPause(
	{ session }: ItemRequests,
	{ text }: PlannedPart,
	{ info: asSpoken }: StoredAudio,
	{ info, binary }: StoredAudio,
	{ after, milliseconds }: { after: string; milliseconds: number },
): Promise<StoredAudio | undefined> {
	const { seconds: end } = asSpoken;
	const pauses = pausesOf(asSpoken) ?? [];
	if (!('pauses' in info) || end === undefined || !canBeCut(info.format)) return undefined;
	const at = heardAt(text, end, pauses)(lettersOf(after));
	const isThere = (pause: Pause) =>
		Math.max(pause.start - at, at - pause.end) < NEAR_SECONDS &&
		Math.min(pause.start, end - pause.end) > NEAR_SECONDS;
	const pause = pauses.find(isThere);
	if (!pause) return undefined;
	const missing = milliseconds - 1000 * (pause.end - pause.start);
	if (missing <= 0) return { info, binary };
	const { execution } = session;
	const middle = (pause.start + pause.end) / 2;
	const places = await cutInTwo(info, middle, async () => await chunksOf(execution, binary));
	if (!places) return undefined;
	const halves: StoredAudio[] = [];
	for (const place of places)
		halves.push(...(await storeSlices(execution, binary, info, [place], () => 'half')));
	const joined = await joinStored(session, halves, 'pause', { pauses: { between: missing } });
	const inspector = new AudioInspector(info.format);
	for await (const chunk of await chunksOf(execution, joined.binary)) inspector.feed(chunk);
	return { binary: joined.binary, info: inspector.end() };
}
