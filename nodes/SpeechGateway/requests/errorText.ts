import type { IBinaryKeyData, INode } from 'n8n-workflow';
import {
	type AttachedFiles,
	EmptyFieldError,
	type ErrorDetails,
	GatewayError,
	InputError,
} from '../core/errors';
import { isRecord } from '../core/json';
import type { Failed } from './operation';

/** n8n marks an execution as canceled if the error's message contains that word, which the gateway's words may. */
const cleaned = (text: string): string => text.replace(/canceled/gi, 'cancelled');

/** n8n replaces a message that holds a system code, even within another word, by advice of its own. */
export const cleanedMessage = (text: string): string =>
	cleaned(text)
		.replace(WITHIN_WORDS, (code: string) => `${code[0]}-${code.slice(1)}`)
		.replace(SYSTEM_CODES, 'a system error');

const CODES =
	'(?:econn(?:refused|reset|aborted)|enotfound|etimedout|epipe|e(?:rr)?addr(?:inuse|notavail)|ehostunreach|eai_again|enoent|eisdir|enotdir|eacces|eexist|eperm|getaddrinfo)';
const SYSTEM_CODES = new RegExp(`(?:(?:connect|read|write) )?${CODES}`, 'gi');
/** As in "preexisting". */
const WITHIN_WORDS = new RegExp(`(?<=[a-z0-9])${CODES}|${CODES}(?=[a-z0-9])`, 'gi');

/** Files of n8n's store in n8n's words, which `core/` does not know. */
export const binaryOf = (files: AttachedFiles) => files as IBinaryKeyData;

/** What others say stands behind these words. */
const SAID_BY_OTHERS = /\b(?:The (?:gateway|answer|proxy)|n8n) says: "|\bDetails: /;

/** What of it says whether it was charged. */
const ON_THE_CHARGE =
	/^(?:(?:This request was not charged|It was not charged[^.]*|\d+ of \d+ requests w\w+ charged)\.(?: |$))+/;

/** Which segment of a text an error is about; its description begins with it. */
export const whichSegment = ({ failedPart: part }: ErrorDetails): string =>
	isRecord(part) ? `Segment ${part.number} of ${part.of} is: "${part.words}"` : '';

/** The parts of a description, in the order in which people need them: what it is about, the charge, what to do, what others say. */
export function descriptionParts(
	description: string,
	details: ErrorDetails = {},
): Record<'about' | 'charge' | 'todo' | 'said', string> {
	const segment = whichSegment(details);
	const about = segment && description.startsWith(segment) ? segment : '';
	const rest = description.slice(about.length);
	const at = SAID_BY_OTHERS.exec(rest)?.index ?? rest.length;
	const own = rest.slice(0, at).trim();
	const [charge = ''] = ON_THE_CHARGE.exec(own) ?? [];
	const todo = own.slice(charge.length);
	return { about, charge: charge.trim(), todo, said: rest.slice(at) };
}

/**
 * A description that names the credential as its owner has. Messages go without: those about a key are also its test's, which does
 * not know the name.
 */
export const withCredentialName = (
	text: string,
	{ credentials }: Pick<INode, 'credentials'>,
): string =>
	text.replace(/\bthe credential\b(?! ")/, (words) => {
		const { name } = Object.values(credentials ?? {})[0] ?? {};
		return name ? `${words} "${name}"` : words;
	});

/** An error of any kind as message, description and details, in words that n8n does not replace. */
export function errorText(error: unknown): Failed['failed'] {
	const { message: what = error, description } = isRecord(error) ? error : {};
	const raw = cleaned(String(what));
	const message = cleanedMessage(raw);
	const todo = typeof description === 'string' ? cleaned(description) : 'This was not expected.';
	const inFull = message === raw ? '' : ` In full: "${raw}".`;
	const { details = {}, files = {} } = error instanceof GatewayError ? error : {};
	return {
		message,
		description: `${todo}${inFull}`.trim(),
		details,
		binary: binaryOf(files),
		isInput: error instanceof InputError,
		advice: error instanceof EmptyFieldError ? error.advice : undefined,
	};
}
