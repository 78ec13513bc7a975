/** The parts of a spoken item, by the option "Timings". */
import type { IBinaryData, IDataObject } from 'n8n-workflow';
import { decode, whichText } from '../support/listen';
import { readStored } from './support';

export interface Part {
	text: string;
	segment: number;
	startSeconds: number;
	endSeconds: number;
	speaker?: string;
}

type Spoken = { json: IDataObject; binary?: Record<string, IBinaryData> };

/** Its segments: the sentences and lines of each as one. */
export function partsOf({ json }: Spoken): Part[] {
	const segments: Part[] = [];
	for (const part of json.parts as unknown as Part[]) {
		const last = segments.at(-1);
		if (last?.segment !== part.segment) segments.push({ ...part });
		else Object.assign(last, { text: `${last.text} ${part.text}`, endSeconds: part.endSeconds });
	}
	return segments;
}

/** Silence before each part but the first, in seconds. */
export const pausesOf = (item: Spoken): number[] =>
	partsOf(item)
		.slice(1)
		.map(({ startSeconds }, index) => startSeconds - partsOf(item)[index].endSeconds);

/** What is heard where each part is said to be: the one of these texts that sounds like it. */
export async function heardIn(item: Spoken, texts = partsOf(item).map(({ text }) => text)) {
	const samples = await decode(
		await readStored(item.binary!.data),
		String(item.json.responseFormat),
	);
	return partsOf(item).map(
		({ startSeconds, endSeconds }) =>
			texts[whichText(samples, texts, startSeconds, endSeconds - startSeconds)],
	);
}
