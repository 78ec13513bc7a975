import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { evenlySpaced } from '../text/knownSegments';
import type { SentSegment } from './records';

/**
 * The name of what is asked for: SHA-256 of its kind and of what is sent. Of speech that is the model, the words, the
 * voice by ID, the speed, the format and any more fields; of a chat or video the body; of a clone the file's hash and
 * the title. Whatever asks "is this the same request?" compares these keys.
 */
export function requestKey(kind: string, sent: object): string {
	const isSpeech = kind === 'speech' || kind === 'job';
	const asked = [kind, isSpeech ? spoken({ ...sent }) : { ...sent, stream: undefined }];
	return createHash('sha256').update(JSON.stringify(asked)).digest('hex');
}

/** Names one of several equal requests of an item; `number`: which of them, from 1. */
export const requestName = (key: string, { number = 1 }: Partial<SentSegment> = {}): string =>
	number === 1 ? key : `${key} ${number}`;

/** How lines are broken does not change what is said. */
const spoken = ({
	model,
	input,
	voice,
	speed = 1,
	response_format: format,
	...more
}: IDataObject) => [
	model,
	evenlySpaced(String(input)),
	voice,
	speed,
	format,
	...Object.entries(more).sort(([a], [b]) => (a < b ? -1 : 1)),
];
