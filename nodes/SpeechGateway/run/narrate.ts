import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';
import { GatewayError, NotStartedError, OutcomeUnknownError } from '../core/errors';
import type { StoredAudio } from './audio';
import type { ItemRun, RequestGroup } from './itemRun';
import { failureOf } from './items';
import { joinStored } from './joinStored';

/** A stretch of the text and how to speak it; offsets are UTF-16 units of the source. */
export interface NarrationPart {
	start: number;
	end: number;
	speak: (group: RequestGroup) => Promise<StoredAudio>;
}

export interface Narration {
	source: string;
	parts: NarrationPart[];
	fileName: string;
	pauseMilliseconds: number;
}

type PartResult =
	| { status: 'done'; audio: StoredAudio }
	| { status: 'unknown' | 'notSent'; error: unknown };

/**
 * Speaks all parts, concurrently within the run's limit, and joins them in order. After the first failure no further
 * part is started and those in flight are awaited. Nothing paid for is lost: what is done goes along with the error,
 * joined run by run, as does the text that remains.
 */
export async function narrate(
	item: ItemRun,
	narration: Narration,
): Promise<StoredAudio & { starts: number[] }> {
	const { parts, fileName, pauseMilliseconds } = narration;
	const group: RequestGroup = { failed: false };
	const results = await Promise.all(
		parts.map(async ({ speak }): Promise<PartResult> => {
			try {
				return { status: 'done', audio: await speak(group) };
			} catch (error) {
				group.failed = true;
				return { status: error instanceof OutcomeUnknownError ? 'unknown' : 'notSent', error };
			}
		}),
	);
	item.session.transport.cancel?.throwIfAborted();
	if (group.failed) throw await withRemains(item, narration, results);
	const audio = results.flatMap((result) => (result.status === 'done' ? [result.audio] : []));
	try {
		return await joinStored(item, audio, fileName, pauseMilliseconds);
	} catch (error) {
		const { message } = failureOf(error);
		const remains = await describeRemains(item, { ...narration, parts }, results, false);
		throw withBinary(
			new GatewayError(
				`The parts could not be joined: ${message}`,
				'They are attached one by one.',
				remains.json,
			),
			remains.binary,
		);
	}
}

/** The first failure that says something, an unknown one before all, with what is done and what remains. */
async function withRemains(
	item: ItemRun,
	narration: Narration,
	results: PartResult[],
): Promise<unknown> {
	const errors = results.flatMap((result) => (result.status === 'done' ? [] : [result.error]));
	const unknown = errors.find((error) => error instanceof OutcomeUnknownError);
	const first = unknown ?? errors.find((error) => !(error instanceof NotStartedError)) ?? errors[0];
	if (narration.parts.length === 1 || first instanceof NotStartedError) return first;
	const { json, binary } = await describeRemains(item, narration, results, true);
	if (first instanceof OutcomeUnknownError) {
		return withBinary(new OutcomeUnknownError(first.facts, json), binary);
	}
	const { message, description, details } = failureOf(first);
	return withBinary(new GatewayError(message, description, { ...details, ...json }), binary);
}

async function describeRemains(
	item: ItemRun,
	{ source, parts, fileName, pauseMilliseconds }: Narration,
	results: PartResult[],
	join: boolean,
): Promise<{ json: IDataObject; binary: IBinaryKeyData }> {
	const binary: IBinaryKeyData = {};
	const remaining: string[] = [];
	const described: IDataObject[] = [];
	for (let from = 0, to = 0; from < results.length; from = to + 1) {
		const { status } = results[from];
		to = from;
		while (join && results[to + 1]?.status === status) to++;
		const run: IDataObject = { from: from + 1, to: to + 1, status };
		described.push(run);
		if (status !== 'done') {
			run.text = source.slice(parts[from].start, parts[to].end);
			remaining.push(run.text as string);
			continue;
		}
		run.binary = from === 0 ? 'completed' : `completed_${from + 1}`;
		const audio = results
			.slice(from, to + 1)
			.map((result) => (result as { audio: StoredAudio }).audio);
		const name = `${fileName}-part-${from + 1}`;
		binary[run.binary as string] = (await joinStored(item, audio, name, pauseMilliseconds)).binary;
	}
	const count = (status: PartResult['status']) =>
		results.filter((result) => result.status === status).length;
	const segments = { total: results.length, completed: count('done'), unknown: count('unknown') };
	return { json: { segments, parts: described, remainingText: remaining.join('\n') }, binary };
}

function withBinary<E extends GatewayError | OutcomeUnknownError>(
	error: E,
	binary: IBinaryKeyData,
): E {
	return Object.assign(error, { binary });
}
