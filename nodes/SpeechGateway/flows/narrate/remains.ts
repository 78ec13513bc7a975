import type { IBinaryData, IDataObject } from 'n8n-workflow';
import { joinBlocker } from '../../core/audio';
import {
	type AttachedFiles,
	GatewayError,
	NotStartedError,
	OutcomeUnknownError,
} from '../../core/errors';
import { errorText } from '../../run/errors';
import { completedField } from '../../run/requests/itemLedger';
import type { ItemRequests } from '../../run/requests/itemRequests';
import { joinStored } from '../files/joinStored';
import { isDone, type Narration, type PartResult, seams } from './narration';

/**
 * The first failure that says something, an unknown one before all, with what is done and what remains. When the run broke
 * off, that is an unknown one too, as soon as anything was paid for.
 */
export async function firstError(
	item: ItemRequests,
	narration: Narration,
	results: PartResult[],
): Promise<unknown> {
	const errors = results.flatMap((result) => (isDone(result) ? [] : [result.error]));
	const unknown = errors.find((error) => error instanceof OutcomeUnknownError);
	const brokeOff = item.session.transport.cancel?.aborted ? item.ledger.interruption() : undefined;
	const first =
		unknown ?? brokeOff ?? errors.find((error) => !(error instanceof NotStartedError)) ?? errors[0];
	if (narration.parts.length === 1 || first instanceof NotStartedError) return first;
	const { json, files } = await describeRemains(item, narration, results);
	if (first instanceof OutcomeUnknownError) {
		return new OutcomeUnknownError(first.facts, { ...first.details, ...json }, files);
	}
	const { message, description, details } = errorText(first);
	return new GatewayError(message, description, { ...details, ...json }, files);
}

export interface Remains {
	json: IDataObject;
	files: AttachedFiles;
}

/** Runs of parts in order: what is done as one file each, what is not as text, with whatever bytes came of it. */
export async function describeRemains(
	item: ItemRequests,
	narration: Narration,
	results: PartResult[],
): Promise<Remains> {
	const { wordsOf, fileName } = narration;
	const files: AttachedFiles = {};
	const remaining: string[] = [];
	const described: IDataObject[] = [];
	const attach = (from: number, count: number, file: IBinaryData) => {
		const binary = completedField(from + 1);
		files[binary] = file;
		described.push({ from: from + 1, to: from + count, status: 'done', binary });
	};
	for (let from = 0, to = 0; from < results.length; from = to + 1) {
		const result = results[from];
		to = from;
		while (joins(results[to], results[to + 1])) to++;
		if (isDone(result)) {
			const run = results.slice(from, to + 1).filter(isDone);
			const audio = run.map((one) => one.audio);
			const name = `${fileName}-part-${from + 1}`;
			try {
				const how = seams(narration, from, from + run.length);
				attach(from, run.length, (await joinStored(item, audio, name, how)).binary);
			} catch {
				// What cannot be joined is handed over as it is stored; the first error is what counts.
				for (const [index, { binary }] of audio.entries()) attach(from + index, 1, binary);
			}
			continue;
		}
		const text = wordsOf(from, to);
		const jobId = jobIdOf(result.error);
		described.push({
			from: from + 1,
			to: to + 1,
			status: result.status,
			text,
			...(jobId && { jobId }),
		});
		remaining.push(text);
		for (const [index, one] of results.slice(from, to + 1).entries())
			Object.assign(files, receivedOf(one, from + index + 1));
	}
	const count = (status: PartResult['status']) =>
		results.filter((result) => result.status === status).length;
	const segments = { total: results.length, completed: count('done'), unknown: count('unknown') };
	return { json: { segments, parts: described, remainingText: remaining.join('\n') }, files };
}

/** The bytes of a segment that was paid for but came damaged, under a name of its own. */
function receivedOf(result: PartResult, segment: number): AttachedFiles {
	const error = isDone(result) ? undefined : result.error;
	const files = error instanceof OutcomeUnknownError ? error.files : {};
	return Object.fromEntries(
		Object.entries(files).map(([name, file]) => [`${name}_${segment}`, file]),
	);
}

export function jobIdOf(error: unknown): string | undefined {
	const id =
		error instanceof OutcomeUnknownError ? error.details.jobId : errorText(error).details.jobId;
	return typeof id === 'string' ? id : undefined;
}

/** Whether two neighbours belong to one run; files of different kinds cannot be joined. */
function joins(one: PartResult, next: PartResult | undefined): boolean {
	if (!next) return false;
	if (isDone(one) || isDone(next))
		return isDone(one) && isDone(next) && !joinBlocker(one.audio.info, next.audio.info);
	return one.status === next.status && !jobIdOf(one.error) && !jobIdOf(next.error);
}
