/** Shorter keys would redact ordinary words. */
const SHORTEST_KEY = 4;
/**
 * If a text was cut within the key, up to this many of its characters may be shown, because other words begin with
 * them, too.
 */
const SHORTEST_CUT = 8;

const BLOT = '***';

/** `sk-abc***xyz`, `sk-abc...xyz`, `abc***xyz`, or a whole key. */
const NAMED_KEY =
	/(?:\b(sk-[\w-]*|[\w-]{2,}(?=\*{3}))|(?<![\w*])(?=\*{4}))(?:\*+|\.{3}|…|)([\w-]*)/g;

/** new-api takes keys with and without this prefix. */
const bare = (key: string): string => key.replace(/^sk-/, '');

const literally = (text: string): string => text.replace(/[^a-z0-9]/gi, '\\$&');

/** How JSON, addresses and HTML write a character, by its code in hexadecimal digits. */
const ESCAPES: Array<(hex: string) => string> = [
	(hex) => `\\u00${hex}`,
	(hex) => `%${hex}`,
	(hex) => `%25${hex}`,
	(hex) => `&#x${hex};`,
	(hex) => `&#${parseInt(hex, 16)};`,
];
/** Programs escape all of a text, or its signs. */
const ESCAPED_SIGNS = [/[^]/g, /[^\w.-]/g];

/** The key as programs write it: as it is, in JSON (also within JSON), in addresses (also twice), in HTML and in base64. */
function spellingsOf(key: string): string[] {
	const json = (text: string) => JSON.stringify(text).slice(1, -1);
	const hexOf = (one: string) => one.charCodeAt(0).toString(16).padStart(2, '0');
	const escaped = ESCAPES.flatMap((escape) =>
		ESCAPED_SIGNS.flatMap((which) => [
			key.replace(which, (one) => escape(hexOf(one))),
			key.replace(which, (one) => escape(hexOf(one).toUpperCase())),
		]),
	);
	const html = key.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
	const slashes = key.replaceAll('/', '\\/');
	return [key, json(key), json(json(key)), slashes, html, ...escaped, ...base64Forms(key)];
}

/** What base64 makes of the key within any text: one form for each place where it can begin in a group of three bytes. */
function base64Forms(key: string): string[] {
	return [0, 1, 2].flatMap((offset) => {
		const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(key)]);
		// The first and last characters also hold bits of the neighbours.
		const whole = Math.floor((bytes.length * 8) / 6);
		const form = bytes.toString('base64').slice(Math.ceil((offset * 8) / 6), whole);
		return [form, form.replaceAll('+', '-').replaceAll('/', '_')];
	});
}

/** Shorter keys may be words, such as the name of a model, or a part of an address by chance. */
export const LONG_KEY = 12;

/** Redacts API keys in everything that the gateway sends, in any encoding. */
export class Redactor {
	private readonly keys = new Set<string>();
	/** Of each key, all its spellings. */
	private readonly whole: Array<{ spelling: RegExp; isLong: boolean }> = [];
	/** The spellings of all keys, by their first character. */
	private readonly spellings = new Map<string, string[]>();
	private longest = 0;

	constructor(key?: string) {
		if (key !== undefined) this.learn(key);
	}

	/** Redacts this key, too, from now on. */
	learn(key: string): void {
		if (this.keys.has(key)) return;
		this.keys.add(key);
		if (key.length < SHORTEST_KEY) return;
		const forms = [...new Set(spellingsOf(key))].filter(({ length }) => length >= SHORTEST_KEY);
		forms.sort((one, other) => other.length - one.length);
		this.longest = Math.max(this.longest, forms[0].length);
		const spelling = new RegExp(forms.map(literally).join('|'), 'g');
		this.whole.push({ spelling, isLong: key.length >= LONG_KEY });
		for (const form of forms)
			this.spellings.set(form[0], [...(this.spellings.get(form[0]) ?? []), form]);
	}

	/** A text without the key, and without the beginning of it where the text was cut. */
	text(text: string): string {
		const clean = this.blot(text);
		let end = clean.length;
		// A regular expression would take quadratic time on a text full of spaces.
		while (end > 0 && /[…"\s]/.test(clean[end - 1])) end--;
		const begun = this.unfinishedAt(clean.slice(0, end));
		return end - begun < SHORTEST_CUT
			? clean
			: `${clean.slice(0, begun)}${BLOT}${clean.slice(end)}`;
	}

	/** A text without the whole key; the beginning of one may be left at its end. */
	blot(text: string): string {
		return this.whole.reduce((rest, { spelling }) => rest.replace(spelling, BLOT), text);
	}

	/** A parsed JSON value with all its texts and the names of its fields as `text` leaves them. */
	value<T>(value: T): T;
	value(value: unknown): unknown {
		return this.longest === 0 ? value : withTexts(value, (text) => this.text(text));
	}

	/** The same of a list of models or voices, in which a short key may be an ordinary word. */
	list(value: unknown): unknown {
		const long = this.whole.filter(({ isLong }) => isLong);
		if (long.length === 0) return value;
		return withTexts(value, (text) =>
			long.reduce((rest, { spelling }) => rest.replace(spelling, BLOT), text),
		);
	}

	/** Whether a text names an API key, whole or with its middle left out, that is none of these. */
	isOther(text: string): boolean {
		return [...text.matchAll(NAMED_KEY)].some(
			([, start = '', end]) =>
				![...this.keys].some((key) => bare(key).startsWith(bare(start)) && key.endsWith(end)),
		);
	}

	/** For text that arrives in chunks: the key may be split between two. */
	stream(): RedactedStream {
		return new RedactedStream(this);
	}

	/** Index where the end of a text may begin a key; the length of the text if nowhere. */
	unfinishedAt(text: string): number {
		for (let at = Math.max(0, text.length - this.longest); at < text.length; at++) {
			const spellings = this.spellings.get(text[at]);
			if (spellings?.some((spelling) => spelling.startsWith(text.slice(at)))) return at;
		}
		return text.length;
	}
}

/** A parsed JSON value with all its texts and the names of its fields changed. */
function withTexts(value: unknown, change: (text: string) => string): unknown {
	if (typeof value === 'string') return change(value);
	if (typeof value !== 'object' || value === null) return value;
	if (Array.isArray(value)) return value.map((entry) => withTexts(entry, change));
	return Object.fromEntries(
		Object.entries(value).map(([name, field]) => [change(name), withTexts(field, change)]),
	);
}

/** Redacts a text that arrives in chunks, holding back what may be the beginning of a key. */
export class RedactedStream {
	private pending = '';

	constructor(private readonly redactor: Redactor) {}

	/** Takes the next chunk; returns the text that certainly holds nothing of the key. */
	push(chunk: string): string {
		const text = this.redactor.blot(this.pending + chunk);
		const end = this.redactor.unfinishedAt(text);
		this.pending = text.slice(end);
		return text.slice(0, end);
	}

	/** What was held back when the text ends. */
	end(): string {
		const rest = this.redactor.text(this.pending);
		this.pending = '';
		return rest;
	}
}
