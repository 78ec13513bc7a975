import type { IDataObject } from 'n8n-workflow';
import { joinBlocker, type PauseBefore, type Pauses } from '../audio';
import {
	type AttachedFiles,
	GatewayError,
	NotStartedError,
	OutcomeUnknownError,
} from '../core/errors';
import { withSuffix } from '../files/fileName';
import { type JoinedFile, joinStored } from '../files/joinStored';
import type { StoredAudio } from '../files/storeAudio';
import { completedField } from '../requests/itemLedger';
import { errorText, whichSegment } from '../requests/errorText';
import { beginningOf } from '../text/characters';
import { partsOf } from './heardSegments';
import { type Plan, wordsOf } from './plan';
import { recordFor } from './previous';
import type { Narration } from './speak';

/**
 * What has become of one segment: its audio, spoken now or before, or why there is none. `unknown`: it may have been
 * paid for, and is never sent again; `notSent`: it was not paid for.
 */
export type SegmentResult = StoredAudio | { status: 'unknown' | 'notSent'; error: unknown };

/** Whether there is audio of a segment. */
export const isDone = (result: SegmentResult): result is StoredAudio => 'binary' in result;

/**
 * The error to report, with what is done and what remains: an unknown outcome, else the first failure that says
 * something. A run that broke off after anything was paid for is unknown, too.
 */
export async function firstError(narration: Narration, results: SegmentResult[]): Promise<unknown> {
	const { item, plan } = narration;
	const { transport } = item.session;
	const errors = results.flatMap((result) => (isDone(result) ? [] : [result.error]));
	const first =
		errors.find((error) => error instanceof OutcomeUnknownError) ??
		(transport.cancel?.aborted ? item.ledger.interruption() : undefined) ??
		misfit(narration, results) ??
		errors.find((error) => !(error instanceof NotStartedError)) ??
		errors[0];
	if (plan.segments.length === 1) return first;
	if (first instanceof NotStartedError && !first.hasStopped) return first;
	const { json, files } = await describeRemains(narration, results);
	if (first instanceof NotStartedError) return new NotStartedError(first.reason, json, files);
	const failed = results.findIndex((result) => !isDone(result) && result.error === first);
	const failedSegment = failed < 0 ? undefined : segmentOf(plan, failed);
	const more = { ...json, ...(failedSegment && { failedPart: failedSegment }) };
	if (first instanceof OutcomeUnknownError)
		return new OutcomeUnknownError(first.facts, { ...first.details, ...more }, files);
	const { message, description, details } = errorText(first);
	if (!failedSegment) return new GatewayError(message, description, { ...details, ...more }, files);
	const { number, of } = failedSegment;
	const all = { ...details, ...more };
	return new GatewayError(
		`${message} (segment ${number} of ${of})`,
		`${whichSegment(all)} ${description}`,
		all,
		files,
	);
}

const MOST_CHARACTERS_QUOTED = 120;

/** A segment by its number and its first words, for people who look for it in their text. */
function segmentOf({ segments }: Plan, index: number) {
	const words = beginningOf(segments[index].written.trim(), MOST_CHARACTERS_QUOTED);
	return { number: index + 1, of: segments.length, words };
}

/** How the user gets the segments that are done, as a sentence. Where an error stops the run, n8n hands no files on. */
export const howToGetSegments = ({ item: { session } }: Narration): string =>
	session.nodeCall.stopsOnError
		? 'Set "On Error" to "Continue (using error output)" to get them as files.'
		: 'They are attached.';

/** The error of a text whose other segments were not sent, because those that are done do not fit together. */
function misfit(narration: Narration, results: SegmentResult[]): GatewayError | undefined {
	const done = results.flatMap((result, index) => (isDone(result) ? [{ ...result, index }] : []));
	for (const { info, index } of done) {
		const blocker = joinBlocker(done[0].info, info, index + 1);
		if (blocker === undefined) continue;
		const advice = narration.plan.segments.some(({ reused }) => reused)
			? ' Leave "Previous Version" empty to have everything spoken anew.'
			: '';
		return new GatewayError(
			`The segments cannot be joined: ${blocker.replace('segment 1', `segment ${done[0].index + 1}`)}`,
			`No further segment was sent, and none that is paid for is lost. ${howToGetSegments(narration)}${advice}`,
		);
	}
	return undefined;
}

/**
 * Describes runs of segments in order: finished ones as one file each, the others as text, with any bytes
 * received. `json.runs` has an entry a run, by which a workflow can put the rest in its place: `{ from, to,
 * status: 'done', binary }` or `{ from, to, status: 'unknown' | 'notSent' }`, segments counted from 1.
 * `remainingText` is the text of all that has no audio; with *Timings*, `parts` has the sentences of what is done, in
 * seconds of the file that each names.
 */
export async function describeRemains(
	{ item, input, plan, fileName }: Narration,
	results: SegmentResult[],
): Promise<{ json: IDataObject; files: AttachedFiles }> {
	const files: AttachedFiles = {};
	const remaining: string[] = [];
	const runs: IDataObject[] = [];
	const parts: IDataObject[] = [];
	const attach = (from: number, audio: StoredAudio[], file: JoinedFile) => {
		const binary = completedField(from + 1);
		files[binary] = file.binary;
		runs.push({ from: from + 1, to: from + audio.length, status: 'done', binary });
		if (!input.timings) return;
		const sentences = partsOf(plan.segments.slice(from, from + audio.length), file, audio);
		parts.push(...sentences.map((one) => ({ ...one, segment: one.segment + from, binary })));
	};
	for (const { from, run } of runsOf(results)) {
		const to = from + run.length - 1;
		const [first] = run;
		if (isDone(first)) {
			const audio = run.filter(isDone);
			try {
				const name = withSuffix(fileName, `part-${from + 1}`);
				const file = await joinStored(item.session, audio, name, {
					pauses: pausesBetween(plan, from, to + 1),
					recordOf: recordFor(input, plan.segments.slice(from, to + 1)),
				});
				attach(from, audio, file);
			} catch {
				// What cannot be joined is handed over as it is stored; the first error is what counts.
				for (const [index, one] of audio.entries()) attach(from + index, [one], alone(one));
			}
			continue;
		}
		const { status } = first;
		runs.push({ from: from + 1, to: to + 1, status });
		remaining.push(wordsOf(plan, from, to));
		for (const [index, one] of run.entries())
			if (!isDone(one)) Object.assign(files, receivedOf(one.error, from + index + 1));
	}
	const segments = {
		total: results.length,
		completed: results.filter(isDone).length,
		unknown: results.filter((one) => !isDone(one) && one.status === 'unknown').length,
	};
	const json = { segments, runs, remainingText: remaining.join('\n') };
	return { json: input.timings ? { ...json, parts } : json, files };
}

/** A segment as a file of its own. */
const alone = ({ binary, info }: StoredAudio): JoinedFile => ({
	binary,
	info,
	starts: [0],
	ends: [info.seconds],
});

/** The bytes of a segment that was paid for but came damaged, under names of its own: `received_3`. */
function receivedOf(error: unknown, segment: number): AttachedFiles {
	const hasFiles = error instanceof OutcomeUnknownError || error instanceof GatewayError;
	const files = hasFiles ? error.files : {};
	return Object.fromEntries(
		Object.entries(files).map(([name, file]) => [`${name}_${segment}`, file]),
	);
}

/**
 * The pauses of segments that follow each other, from one index up to another. Those at a cut belong to what remains.
 * Times count from the first of them, if it has one.
 */
export function pausesBetween(
	{ segments, pauseBeforeMs }: Plan,
	from = 0,
	to = segments.length,
): Pauses {
	const origin = from === 0 ? 0 : (segments[from].heardAt ?? Infinity);
	const before = (index: number): PauseBefore => {
		const atLeast = index === 0 ? pauseBeforeMs : segments[index - 1].pauseAfterMs;
		const at = (segments[index].heardAt ?? -Infinity) - origin;
		return Number.isFinite(at) ? { at, atLeast } : atLeast;
	};
	const [, ...others] = segments.slice(from, to).keys();
	return {
		before: from === 0 ? before(0) : 0,
		between: others.map((index) => before(from + index)),
		after: to === segments.length ? segments[to - 1].pauseAfterMs : 0,
	};
}

/** The results in runs of neighbours that belong together; `from`: the index of the first. */
function runsOf(results: SegmentResult[]): Array<{ from: number; run: SegmentResult[] }> {
	const runs: Array<{ from: number; run: SegmentResult[] }> = [];
	for (const [from, result] of results.entries()) {
		const last = runs.at(-1);
		if (last && belongTogether(results[from - 1], result)) last.run.push(result);
		else runs.push({ from, run: [result] });
	}
	return runs;
}

/** Whether two neighbours belong to one run; files of different kinds cannot be joined. */
function belongTogether(one: SegmentResult, next: SegmentResult): boolean {
	if (isDone(one)) return isDone(next) && !joinBlocker(one.info, next.info);
	return !isDone(next) && one.status === next.status;
}
