import { InputError } from '../core/errors';
import { option } from './field';
import { type FileRef, isFile } from './kinds';

/**
 * An earlier file of the same text. Empty: the option was added, but there is no such file yet; the new file then gets a record
 * of its parts even if it has a single segment.
 */
export const previousField = option<FileRef | undefined>(
	{
		displayName: 'Previous Version',
		name: 'previousBinaryPropertyName',
		type: 'string',
		default: '',
		placeholder: 'e.g. previous',
		description:
			'Binary fields with earlier files of this node, or empty; segments that have not changed are cut out of them and not charged again',
	},
	undefined,
	(value) => (value === undefined || isFile(value) ? value : String(value ?? '').trim()),
);

const CLOCK = /^(?:(?:(\d+):)?([0-5]?\d):)?(\d+(?:\.\d+)?)$/;

/** Times in the previous version, as a listener notes them, in seconds. */
export const speakAgainField = option<number[]>(
	{
		displayName: 'Speak Again At',
		name: 'speakAgainAt',
		type: 'string',
		default: '',
		placeholder: 'e.g. 1:02, 3:25.5',
		description:
			'Times in the previous version, separated by commas; the segments heard then are spoken again',
	},
	[],
	(value, label) => {
		const times: unknown[] = Array.isArray(value) ? value : String(value ?? '').split(/[,;\n]/);
		return times.flatMap((time) => {
			const text = String(time).trim();
			return text === '' && !Array.isArray(value) ? [] : secondsOf(text, label);
		});
	},
);

function secondsOf(text: string, label: string): number {
	const [, hours = 0, minutes = 0, seconds] = CLOCK.exec(text) ?? [];
	if (seconds !== undefined) return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
	throw new InputError(
		`"${label}" must be times such as 1:02 or 62.5, but has ${JSON.stringify(text)}`,
	);
}
