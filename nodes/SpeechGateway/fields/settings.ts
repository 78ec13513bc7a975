import { InputError } from '../core/errors';
import { ADDED, group } from './field';
import type { Parameters } from './parameters';
import { choiceOption, flagOption, numberOption, secondsOption, textOption } from './kinds';

const sendOnceKeyName = 'sendOnceKey';
const sendOnceKey = textOption({
	displayName: 'Send Once Key',
	name: sendOnceKeyName,
	default: '',
	placeholder: 'e.g. {{ $json.id }}',
	description:
		"A different value for each item, such as a row ID or, in a chat, {{ $('Telegram Trigger').item.json.update_id }}; an item whose value was sent before is not sent again",
});

const NAME_THE_NODE =
	"Check that its expression has a value for every item, or remove the option. $json is only what the node before this one says: name the node that has the ID, such as {{ $('Telegram Trigger').item.json.update_id }}. Nothing was sent for this item.";

/**
 * A key, trimmed. `typed`: as it stands in the node. Throws InputError for an empty one, which would silently protect nothing, and
 * for one in which nothing is the item's, which would let only the first item through.
 */
function checkedKey(value: unknown, typed: unknown): string {
	const label = `"${sendOnceKey.options[0].displayName}"`;
	const key = typeof value === 'number' && Number.isFinite(value) ? String(value) : value;
	if (typeof key !== 'string' || key.trim() === '') {
		const isEmpty = typeof key === 'string' || key === undefined || key === null;
		const found = isEmpty ? 'empty' : JSON.stringify(value)?.slice(0, 80);
		throw new InputError(`${label} must be a text or a number, but is ${found}`, NAME_THE_NODE);
	}
	if (hasValues(key, typed)) return key.trim();
	throw new InputError(
		`${label} is "${key.trim().slice(0, 80)}": its expression has no value for this item`,
		NAME_THE_NODE,
	);
}

/** What n8n fills in, and signs of a text that such a piece puts together itself. */
const PIECES = /\{\{[^]*?\}\}/g;
const PUT_TOGETHER = /[+`]/;

/** Whether an expression has brought something into its text: `{{ $json.id }}-answer` may come to `-answer` for all items. */
function hasValues(key: string, typed: unknown): boolean {
	const pieces = typeof typed === 'string' && typed.startsWith('=') ? typed.match(PIECES) : null;
	if (!pieces) return true;
	const isLeftOut = String(typed).slice(1).replace(PIECES, '').trim() === key.trim();
	const isUndefined =
		/\bundefined\b/.test(key) &&
		pieces.some((piece) => PUT_TOGETHER.test(piece) && !piece.includes('undefined'));
	return !isLeftOut && !isUndefined;
}

/**
 * How an item's requests are sent: options that the runner reads, not the operation. They do not change what is paid
 * for, so a retry uses the present ones.
 */
export const settings = {
	maxRetries: numberOption({
		displayName: 'Max Retries',
		name: 'maxRetries',
		min: 0,
		max: 20,
		integer: true,
		// With the pauses of `retryPolicy`, enough to outlive a limit that counts by the minute.
		default: 4,
		description:
			'How often to send a request again that failed and certainly was not charged, for example after "too many requests"',
	}),
	timeoutMs: secondsOption({
		displayName: 'Timeout',
		name: 'timeout',
		min: 1,
		max: 86_400,
		// Above the gateway's limit of about 100 s, with room for its own queue.
		default: 180,
		description:
			'How long to wait for an answer; keep it above 120, because a request that you no longer wait for may still be charged',
	}),
	// Unlike other options, it must not be empty once it is added: so it has a reader of its own.
	sendOnceKey: {
		...sendOnceKey,
		unset: undefined,
		read(parameters: Parameters): string | undefined {
			const value = parameters.option(sendOnceKeyName);
			if (value === undefined && !parameters.isSet(sendOnceKeyName)) return undefined;
			return checkedKey(value, parameters.typed(sendOnceKeyName));
		},
	},
	whenSentBefore: choiceOption({
		displayName: 'When Sent Before',
		name: 'whenSentBefore',
		displayOptions: { show: { [sendOnceKeyName]: ADDED } },
		default: 'unknown',
		choices: {
			unknown: {
				name: "Don't Send (Goes to Unknown)",
				description: 'The item ends as "Unknown": right for tables that are read every night',
			},
			again: {
				name: 'Give the Result Again',
				description:
					'The item gets the first result and a copy of its file, for free: right for chats, webhooks and tools',
			},
		},
		description: 'What to do with an item whose "Send Once Key" this node has sent before',
	}),
};

/** Whether items say what they were charged. */
export const charges = flagOption({
	displayName: 'Charges',
	name: 'charges',
	default: false,
	description:
		'Whether to show what each item has cost, or may have cost: its requests with their tokens and IDs, in the field "charges"',
});

/** Whether items have a link to their file. */
export const link = flagOption({
	displayName: 'Link',
	name: 'link',
	default: false,
	description:
		'Whether to add a link to the file in the field "link"; it works for one day, for everybody who has it',
});

/** The settings that all requests share. Throws InputError. */
export const readSettings = (parameters: Parameters) => group(settings).read(parameters);

/** Holds for the whole run, over all items; read from the first. */
export const concurrency = numberOption({
	displayName: 'Concurrency',
	name: 'concurrency',
	min: 1,
	max: 100,
	integer: true,
	// The gateway documents no limit, so this is modest; a 429 lowers it, successes raise it again.
	default: 4,
	noDataExpression: true,
	description:
		'How many requests to send at the same time; the node sends fewer by itself when the gateway says that there are too many',
});
