/** Shorter keys would redact ordinary words. */
const SHORTEST_KEY = 4;
/** If a text was cut within the key, up to this many of its characters may be shown, because other words begin with them, too. */
const SHORTEST_CUT = 8;

const BLOT = '***';

/** An escape that is not whole yet, as a chunk may end within one: `\`, `\u00`, `%`, `%2`, `&#11`. */
const UNFINISHED_ESCAPE =
	'\\\\{1,4}(?:u[0-9a-fA-F]{0,3})?|%(?:25)*2?[0-9a-fA-F]?|&(?:#(?:[xX][0-9a-fA-F]*|\\d*))?';

/** `sk-abc***xyz`, `sk-abc...xyz`, `abc***xyz`, or a whole key. */
const NAMED_KEY =
	/(?:\b(sk-[\w-]*|[\w-]{2,}(?=\*{3}))|(?<![\w*])(?=\*{4}))(?:\*+|\.{3}|…|)([\w-]*)/g;

/** new-api takes keys with and without this prefix. */
const bare = (key: string): string => key.replace(/^sk-/, '');

const escaped = (text: string): string => text.replace(/[^a-z0-9]/gi, '\\$&');

/** One character of the key as a JSON, URL or HTML escape, or as it is; a form inside a form doubles its sign. */
function spellings(character: string): string {
	const code = character.charCodeAt(0);
	const hex = code.toString(16).replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
	const json = `\\\\{1,4}(?:u0*${hex}|${escaped(character)})`;
	const html = `&#(?:0*${code}|[xX]0*${hex});`;
	return `(?:${escaped(character)}|${json}|%(?:25)*${hex}|${html})`;
}

/** The beginnings of a text of these characters, `unfinished` in place of any; longer than nothing. */
const beginnings = (characters: string[], unfinished: string[] = []): string =>
	characters.reduceRight(
		(rest, character) => `(?:${[character + (rest && `${rest}?`), ...unfinished].join('|')})`,
		'',
	);

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

/** Redacts API keys in everything that the gateway sends, in any encoding. */
export class Redactor {
	private readonly known: string[] = [];
	private whole: RegExp | undefined;
	/** The end of a text that may be the beginning of a key. */
	private begun: RegExp | undefined;
	private longest = 0;

	constructor(key?: string) {
		if (key !== undefined) this.learn(key);
	}

	/** Redacts this key, too, from now on. */
	learn(key: string): void {
		this.known.push(bare(key));
		if (key.length < SHORTEST_KEY) return;
		const characters = Array.from({ length: key.length }, (_, index) => spellings(key[index]));
		const forms = [...new Set(base64Forms(key))].filter(({ length }) => length >= SHORTEST_KEY);
		const known = this.whole ? [this.whole.source] : [];
		this.whole = new RegExp([...known, characters.join(''), ...forms.map(escaped)].join('|'), 'g');
		const before = this.begun ? [this.begun.source] : [];
		const begun = [
			beginnings(characters, [UNFINISHED_ESCAPE]),
			...forms.map((form) => beginnings(Array.from(form, escaped))),
		];
		this.begun = new RegExp([...before, ...begun.map((source) => `${source}$`)].join('|'));
		this.longest = Math.max(this.longest, key.length);
	}

	/** A text without the key, and without the beginning of it where the text was cut. */
	text(text: string): string {
		const clean = this.blot(text);
		let end = clean.length;
		// A regular expression would take quadratic time on a text full of spaces.
		while (end > 0 && /[…"\s]/.test(clean[end - 1])) end--;
		const shown = clean.slice(0, end);
		const cut = this.unfinishedAt(shown);
		return shown.length - cut < SHORTEST_CUT
			? clean
			: `${shown.slice(0, cut)}${BLOT}${clean.slice(shown.length)}`;
	}

	/** A text without the whole key; the beginning of one may be left at its end. */
	blot(text: string): string {
		return this.whole ? text.replace(this.whole, BLOT) : text;
	}

	/** A parsed JSON value with all its texts and the names of its fields as `text` leaves them. */
	value<T>(value: T): T;
	value(value: unknown): unknown {
		if (typeof value === 'string') return this.text(value);
		if (typeof value !== 'object' || value === null || !this.whole) return value;
		if (Array.isArray(value)) return value.map((entry) => this.value(entry));
		const fields = Object.entries(value);
		return Object.fromEntries(fields.map(([name, field]) => [this.text(name), this.value(field)]));
	}

	/** Whether a text names an API key, whole or with its middle left out, that is none of these. */
	isOther(text: string): boolean {
		return [...text.matchAll(NAMED_KEY)].some(
			([, start = '', end]) =>
				!this.known.some((key) => key.startsWith(bare(start)) && key.endsWith(end)),
		);
	}

	/** For text that arrives in pieces: the key may be split over them. */
	stream(): RedactedStream {
		return new RedactedStream(this);
	}

	/** Index where the end of a text may begin a key; the length of the text if nowhere. */
	unfinishedAt(text: string): number {
		// In the longest spelling, a character of the key takes ten of the text.
		const from = Math.max(0, text.length - 10 * this.longest);
		const at = this.begun ? text.slice(from).search(this.begun) : -1;
		return at < 0 ? text.length : from + at;
	}
}

export class RedactedStream {
	private pending = '';

	constructor(private readonly redactor: Redactor) {}

	/** Takes a piece of text; returns what is certain to hold nothing of the key. */
	push(piece: string): string {
		const text = this.redactor.blot(this.pending + piece);
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
