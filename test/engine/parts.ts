/** The parts of a spoken item, by the option "Timings". */
import type { IBinaryData, IDataObject } from 'n8n-workflow';
import { decode, whichText } from '../support/listen';
import { readStored } from './support';

export interface Part {
	text: string;
	startSeconds: number;
	endSeconds: number;
	speaker?: string;
}

type Spoken = { json: IDataObject; binary?: Record<string, IBinaryData> };

export const partsOf = ({ json }: Spoken) => json.parts as unknown as Part[];

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
