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
			'The binary field with an earlier file of this node, or empty; segments that have not changed are cut out of it and not charged again',
	},
	undefined,
	(value) => (value === undefined || isFile(value) ? value : String(value ?? '').trim()),
);
