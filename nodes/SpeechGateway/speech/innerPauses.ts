/** Pauses that a text asks for within parts that were spoken before: they go in where a pause is heard, else they are left out. */
import { canBeTagged, inspectorOf, slicesIn } from '../audio';
import { joinStored } from '../files/joinStored';
import { chunksOf } from '../files/inputFile';
import { storeSlices } from '../files/storeSlices';
import type { StoredAudio } from '../files/storeAudio';
import type { Session } from '../requests/session';
import { heardAt, type Pause, pausesOf } from './heard';
import { lettersOf } from './oddSegments';
import type { Narration } from './speak';

/** Seconds: a pause within this distance of the words is theirs, unless it is as near to an edge of the part. */
const NEAR_SECONDS = 0.15;

/** The parts with their pauses; hints say which have them, and which can't. */
export async function withInnerPauses(
	{ item, plan }: Narration,
	spoken: StoredAudio[],
): Promise<StoredAudio[]> {
	const all: StoredAudio[] = [];
	const [made, leftOut] = [new Set<number>(), new Set<number>()];
	for (const [index, { text, pausesWithin = [] }] of plan.parts.entries()) {
		let audio = spoken[index];
		// From the last one on, so that the others stay where they are.
		for (const { after, milliseconds } of pausesWithin.toReversed()) {
			const pause = pauseAt(text, spoken[index], lettersOf(after));
			const longer =
				pause &&
				(await lengthened(item.session, audio, pause, milliseconds).catch(() => undefined));
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

/** The pause that is heard after so many letters of a spoken text; undefined: there is none. */
function pauseAt(text: string, { info }: StoredAudio, letters: number): Pause | undefined {
	const { seconds: end } = info;
	const pauses = pausesOf(info);
	if (end === undefined || !pauses) return undefined;
	const at = heardAt(text, end, pauses)(letters);
	return pauses.find(
		(pause) =>
			Math.max(pause.start - at, at - pause.end) < NEAR_SECONDS &&
			Math.min(pause.start, end - pause.end) > NEAR_SECONDS,
	);
}

/** Makes a pause at least so long. Undefined: the audio cannot be cut there. */
async function lengthened(
	session: Session,
	audio: StoredAudio,
	{ start, end }: Pause,
	milliseconds: number,
): Promise<StoredAudio | undefined> {
	const { info, binary } = audio;
	if (!('pauses' in info) || !canBeTagged(info.format)) return undefined;
	const missing = milliseconds - 1000 * (end - start);
	if (missing <= 0) return audio;
	const { execution } = session;
	const read = async () => await chunksOf(execution, binary);
	const places = await slicesIn(info).inTwo(info, (start + end) / 2, read);
	if (!places) return undefined;
	const halves: StoredAudio[] = [];
	for (const place of places)
		halves.push(...(await storeSlices(execution, binary, info, [{ ...place, fileName: 'half' }])));
	const joined = await joinStored(session, halves, 'pause', { pauses: { between: missing } });
	const inspector = inspectorOf(info.format);
	for await (const chunk of await chunksOf(execution, joined.binary)) inspector.feed(chunk);
	return { binary: joined.binary, info: inspector.end() };
}
