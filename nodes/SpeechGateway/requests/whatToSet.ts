/** Which field of the form a refusal speaks of, and what to set there. */
import type { GatewayWords } from '../gateway/gatewayWords';
import type { Kind } from './signs';

interface Refused {
	kind: Kind;
	/** The voice that was asked for. */
	voice?: string;
	words: GatewayWords;
}

/** A field by the parameter that is named, by words, and what to do; the first that fits. */
interface FieldSigns {
	/** What requests for speech call it. */
	param: RegExp;
	/** Absent: words alone do not name it. */
	says?: (refused: Refused) => boolean;
	/** `{models}`: see `explain.ts`. */
	advice: (refused: Refused) => string;
	/** Requests of other kinds have the parameter, too. */
	everywhere?: true;
}

/** Names a highest number, as far as words of a limit go. */
const LIMIT =
	/(?:at most|max\w*|exceed\w*|over|up to|limit\w*|(?:long|less|few|more)\w* than|最多|超过)[^\d.]{0,30}(\d+(?:,\d{3})*)/i;
const OF_CHARACTERS = /char|字|length|too.long/i;
const OF_OTHERS = /\btokens?\b|\bbytes?\b|second|minute|request/i;

/** The longest text that a refusal names, in characters; undefined if it names none. */
export function longestIn({ message = '' }: GatewayWords): string | undefined {
	const [, number] = LIMIT.exec(message) ?? [];
	return OF_CHARACTERS.test(message) && !OF_OTHERS.test(message) ? number : undefined;
}

const saysTooLong = ({ code = '', message = '' }: GatewayWords): boolean =>
	/too.?long/i.test(`${code} ${message}`);

function aboutLength({ kind, words }: Refused): string {
	const longest = longestIn(words);
	if (longest === undefined && !saysTooLong(words)) return 'Check the text.';
	const [option, atMost] = longest
		? [` to ${longest} or less`, `: at most ${longest} characters`]
		: ['', ''];
	return kind === 'speech'
		? `Lower the option "Max Segment Characters"${option}.`
		: `Shorten the text${atMost}.`;
}

/** The formats that the form has. */
const OFFERED = ['mp3', 'wav', 'opus', 'pcm'];

const aboutFormat = ({ words }: Refused): string => {
	const named = namedChoices(words).map((name) => name.toLowerCase());
	return `Check the field "Audio Format"${theseNames(named.filter((name) => OFFERED.includes(name)))}.`;
};

const aboutVoice = ({ voice, words }: Refused): string =>
	`Check the field "Voice"${voice === undefined ? '' : ` ("${voice}")`}${choicesIn(words)}.`;

const FIELDS: FieldSigns[] = [
	{
		param: /^(?:input|text)$/,
		says: ({ words }) => longestIn(words) !== undefined || saysTooLong(words),
		advice: aboutLength,
	},
	{
		param: /format$/,
		says: ({ words: { message = '' } }) => /format/i.test(message),
		advice: aboutFormat,
	},
	{
		param: /^(?:voice|voice_id|speaker|reference_id)$/,
		says: ({ voice, words: { message = '' } }) =>
			/\bvoices?\b|音色/i.test(message) || (voice !== undefined && message.includes(voice)),
		advice: aboutVoice,
	},
	{
		param: /^model$/,
		says: ({ words: { message = '' } }) => /\bmodels?\b(?! group)|模型/i.test(message),
		advice: () => 'Check the field "Model". {models}',
		everywhere: true,
	},
	{ param: /^speed$/, advice: () => 'Check the option "Speed".' },
];

/** What to set after a refusal: where it names a parameter, there; else where its words point. Undefined if nowhere. */
export function whatToSet(refused: Refused): string | undefined {
	const { kind, words } = refused;
	const isSpeech = kind === 'speech' || kind === 'job';
	const fields = FIELDS.filter(({ everywhere }) => isSpeech || everywhere);
	const { param = '' } = words;
	const named = fields.find((field) => field.param.test(param));
	if (named) return named.advice(refused);
	// LiteLLM and new-api name the status.
	if (/\D/.test(param))
		return `Change or remove "${param}". Options and "Additional Body Fields" are sent unchanged.`;
	return fields.find(({ says }) => says?.(refused))?.advice(refused);
}

const MOST_NAMES = 5;

/** What comes before a list of what may be chosen. */
const CHOICES =
	/\b(?:available|valid|supported|allowed|known|possible)\b[^.:'"[]{0,30}(?::| are:?)|\b(?:should|must) be(?: one of)?:?(?=\s*['"[`])|\bone of:?/i;

/** The choices that a refusal lists, as "Available voices: a, b" or "Input should be 'a' or 'b'"; at most five. */
function namedChoices({ message = '' }: GatewayWords): string[] {
	const before = CHOICES.exec(message);
	if (!before) return [];
	const list = message.slice(before.index + before[0].length);
	const quoted = [...list.matchAll(/(['"`])([^'"`]+)\1/g)].map(([, , name]) => name);
	const plain = list.split(/,|\bor\b|\band\b|[[\]]/).map((name) => name.trim().replace(/\.$/, ''));
	const names = quoted.length > 0 ? quoted : plain.filter((name) => /^[^\s…]+$/.test(name));
	return names.slice(0, MOST_NAMES);
}

/** The choices that a refusal lists, to follow the name of a field; empty if it lists none. */
export const choicesIn = (words: GatewayWords): string => theseNames(namedChoices(words));

const theseNames = (names: string[]): string =>
	names.length > 0 ? `: the gateway names ${names.join(', ')}` : '';
