/**
 * SRT and WebVTT files (written in `speech/subtitles`) as text with marks such as `[at 0:35]`: what a person
 * would read out, each sentence at its time. All that follows (pronunciations, cutting, retries) then knows
 * only pause marks. In this order: cues with their times, the words of each, lines that roll up only once,
 * who speaks, sentences that go over several cues.
 */
import { grouped } from '../core/grouped';
import { SENTENCE_END } from './boundaries';
import { beginningOf, countCharacters, letters, UNSPACED } from './characters';
import { cuesOf, noFile } from './cues';
import { decoded } from './entities';
import {
	foldName,
	isLabel,
	isNarrator,
	looksLikeName,
	type Name,
	namesIn,
	SINGLE_NAME,
	writtenName,
} from './names';
import { clock, takePauses, timeMark } from './pauses';
import type { ReadText } from './reading';
import { tidy } from './tidy';
import type { FileCue } from './timedLines';

/** WebVTT's `<v Anna>` and `<v.loud Anna>`. */
const VOICE = /<v(?:\.[^\s<>]*)?[ \t]+([^<>\n]{1,60})>/giu;
/**
 * Readings of characters with their words, tags, times of single words (`<00:00:02.000>`), SubStation's `{\an8}`,
 * MicroDVD's `{y:i}`.
 */
const CUE_MARKUP =
	/<rt\b[^<>]*>[^<>]*<\/rt>|<rp\b[^<>]*>[^<>]*<\/rp>|<\/?[a-z][^<>\n]{0,200}>|<[ \d:.,]{1,20}>|\{\\[^{}\n]{0,100}\}|\{\/?[ibuyfcs](?::[^{}\n]{0,60})?\}/giu;
/** From one note to the next, or to the end of the cue. */
const SONG = /[♪♫♬♩🎵🎶][^♪♫♬♩🎵🎶]*(?:[♪♫♬♩🎵🎶]|$)/gu;
/** `# Row, row your boat #`: teletext has no notes. */
const TELETEXT_SONG = /^#[ \t][^#]{1,300}[ \t]#[ \t]*$/gmu;
/** `[door slams]` anywhere, and `*sighs*` on a line of its own if it is no sentence. */
const SOUND =
	/\[[^[\]]{0,300}\]|［[^［］]{0,300}］|【[^【】]{0,300}】|^[ \t>-]*\*[^*\n]{1,100}(?<![.!?…])\*[ \t]*$/gmu;
/** Where a sentence begins; in the middle of one, parentheses are words. */
const ASIDE = /(^[ \t>-]*|[.!?…:。！？：]["”’']?[ \t]*)[(（]([^()（）]{1,300})[)）][ \t]*[:：]?/gmu;
/** The most words in parentheses that are a sound, `alone` on a line or `beside` words; more are spoken. */
const MOST_WORDS_OF_SOUND = { alone: 6, beside: 4 };
/** Characters that count as a word in scripts without spaces. */
const CHARACTERS_A_WORD = 2;
/** What captions put before the words of another speaker: a dash, but no minus, or `>>`. */
const NEW_SPEAKER = /^(?:(?:[-–—‐−]+(?![\d.,])|>{1,3}|＞{1,3})[ \t]*)+/u;

/** Of tags that were escaped, those of captions: in a lesson, `&lt;div&gt;` is a word. */
const ESCAPED_MARKUP =
	/<\/?(?:[bcisuv]|em|font|lang|rt|ruby|span|strong)(?:[ \t.][^<>\n]{0,200})?>/giu;

/** `[SPEAKER_00]:` at the start of a line. */
const NAMED_IN_BRACKETS =
	/(?<=^[ \t>–-]{0,5})[[［【]([^[\]［］【】\n]{1,60})[\]］】][ \t]*[:：][ \t]*/gmu;

/**
 * Stands where a file says for certain who speaks, whatever is in the name: its number in the list of `voices`, between
 * characters that no text has.
 */
const VOICE_MARK = /^(?:- )?\uFDD0(\d+)\uFDD1[ \t]*/u;

/** Words without these tags; a name in a voice tag begins a line. */
const withoutMarkup = (text: string, tags: RegExp, voices: string[]): string =>
	text
		.replace(/<br[ \t]*\/?>/gi, '\n')
		.replace(VOICE, (_tag, name: string) => `\n${voiceMark(name, voices)}`)
		.replace(tags, '');

const voiceMark = (name: string, voices: string[]): string =>
	`\uFDD0${voices.push(writtenName(name)) - 1}\uFDD1`;

const wordCount = (words: string): number =>
	UNSPACED.test(words)
		? countCharacters(words) / CHARACTERS_A_WORD
		: words.trim().split(/\s+/).length;

/** `[Anna]` or `(Anna):`, which is a speaker if the name is known. */
const IN_BRACKETS = /[[(［（【]([^[\]()［］（）【】\n]{1,60})[\])］）】][ \t]*[:：]?/gu;

/**
 * The lines of a cue without markup, music and sounds; where somebody else begins to speak, `- ` stands before one. `speakers`:
 * those who are known, folded.
 */
function wordsOfCue(lines: string[], speakers: Set<string>, voices: string[]): string[] {
	const marked = lines.join('\n').replace(/\\N/g, '\n').replace(/\\h/g, ' ');
	const text = tidy(withoutMarkup(marked, CUE_MARKUP, voices));
	return withoutMarkup(text, ESCAPED_MARKUP, voices)
		.replace(NAMED_IN_BRACKETS, (brackets, name: string) =>
			looksLikeName(name) && !isLabel(foldName(name)) ? voiceMark(name, voices) : brackets,
		)
		.replace(IN_BRACKETS, (brackets, name: string) =>
			speakers.has(foldName(name)) ? `\n${name.trim()}: ` : brackets,
		)
		.replace(SONG, '')
		.replace(TELETEXT_SONG, '')
		.replace(SOUND, '')
		.replace(ASIDE, (aside, before: string, words: string, at: number, all: string) => {
			const isAlone =
				before.trim() === '' && !/\S/.test(all.slice(at + aside.length).split('\n')[0]);
			const count = wordCount(words);
			const most = MOST_WORDS_OF_SOUND[isAlone ? 'alone' : 'beside'];
			const isSound = !SENTENCE_END.test(words) && count <= most;
			return isSound ? before : aside;
		})
		.split('\n')
		.map((line) => line.replace(/\s+/g, ' ').trim().replace(NEW_SPEAKER, '- '))
		.filter((line) => /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(line.replace(VOICE_MARK, '')));
}

/** If so large a share of the cues repeats lines of the one before, captions roll up. */
const ROLLING = 0.3;
/** If so large a share of the cues ends a sentence, each sentence has its full stop. */
const PUNCTUATED = 0.15;
/** Seconds between two cues that belong together. */
const CLOSE = 0.5;
/** Seconds between two words where cues have one or two each, as for videos on phones. */
const CLOSE_WORDS = 0.2;
const MOST_WORDS_OF_WORD_CUES = 2;
/** Characters of a sentence over several cues, at most: only its beginning is heard exactly at its time. */
const LONGEST_SENTENCE = 300;

/** No captions show more lines at once. */
const MOST_LINES_SHOWN = 10;

/** How many lines at the end of one cue stand at the beginning of the next one. */
function repeatedLines(before: string[], lines: string[]): number {
	for (let count = Math.min(MOST_LINES_SHOWN, before.length, lines.length); count > 0; count--)
		if (
			lines.slice(0, count).every((line, index) => line === before[before.length - count + index])
		)
			return count;
	return 0;
}

/**
 * Without cues that are there twice and, in captions that roll up, without the lines that are shown again. Elsewhere, a
 * line that is repeated was said twice.
 */
function unrolled(all: FileCue[]): FileCue[] {
	const seen = new Set<string>();
	const cues = all.filter(({ start, lines }) => {
		const key = [start, ...lines].join('\n');
		return !seen.has(key) && seen.add(key);
	});
	const repeats = cues.map(({ start, lines }, index) => {
		const before = cues[index - 1];
		return before && start - before.end < CLOSE ? repeatedLines(before.lines, lines) : 0;
	});
	// "No!" in two cues is said twice; captions roll where cues repeat some of their lines, or three and more all of them.
	const whole = repeats.filter(
		(count, index) => count > 0 && count === cues[index].lines.length,
	).length;
	const some = repeats.filter((count) => count > 0).length - whole;
	const isRolling = (some > 0 || whole > 2) && some + whole >= ROLLING * (cues.length - 1);
	return cues.map((cue, index) => ({
		...cue,
		lines: cue.lines.slice(isRolling ? repeats[index] : 0),
	}));
}

/** What one speaker says in a cue. */
interface Speech {
	words: string;
	/** The name with its colon, and a tone if there is one; empty: nobody is named. */
	name: string;
	/** Folded. */
	speaker?: string;
	/** A dash says that somebody else spoke before. */
	isNew: boolean;
}

/** A name at the beginning of a line, but no time such as `At 12:30`. */
function nameIn(line: string, voices: string[]): Name | undefined {
	const [mark, voice] = VOICE_MARK.exec(line) ?? [];
	if (mark !== undefined) {
		const name = voices[Number(voice)];
		const from = mark.replace(/^- /, '').length;
		const key = foldName(name);
		return { at: 0, from, name, key, isDirected: false, tone: '', isMarked: true };
	}
	const words = line.replace(/^- /, '');
	const [name] = namesIn(words, 'readAloud');
	const isTime = /^[:：]\d/.test(words.slice(words.search(/[:：]/)));
	return name?.at === 0 && !isTime && !isLabel(name.key) ? name : undefined;
}

const isInCapitals = (name: string): boolean => /\p{Lu}{2}/u.test(name) && !/\p{Ll}/u.test(name);

/** `Speaker 2` or `Guest b`, one of several: `Speaker 1` and `Speaker 2` count as a name that occurs twice. */
const WITH_NUMBER =
	/^((?:speaker|spk|sprecher(?:in)?|voice|guest|person|man|woman|boy|girl|student)) ?(?:\d+|[a-z])$/;

/** If so large a share of the cues begins with a name, all do. */
const NEARLY_ALL = 0.8;

/**
 * The names of speakers, folded; any other words before a colon are spoken. A name counts if a voice tag has it, if it
 * comes twice (as `Speaker 1` and `Speaker 2` do), or behind a dash. Once is enough in capitals, where others are
 * written so or sounds are described, where nearly all cues begin with a name and, for a single word, where half of them do.
 */
function speakersIn(cues: FileCue[], voices: string[], hasSounds: boolean): string[] {
	const tagged = voices.map(foldName);
	const found = cues.flatMap(({ lines }) =>
		lines.flatMap((line) => {
			const name = nameIn(line, voices);
			return name && looksLikeName(name.name) ? { ...name, isNew: line.startsWith('- ') } : [];
		}),
	);
	const groups = grouped(found, ({ key }) => WITH_NUMBER.exec(key)?.[1] ?? key);
	const repeated = [...groups.values()].filter((names) => names.length > 1).flat();
	const inCapitals = hasSounds || repeated.some(({ name }) => isInCapitals(name));
	const isUsual = found.length > 1 && 2 * found.length >= cues.length;
	const isRule = found.length > 1 && found.length >= NEARLY_ALL * cues.length;
	const others = found.filter(
		({ name, isNew }) =>
			isNew ||
			isNarrator(name) ||
			(inCapitals && isInCapitals(name)) ||
			isRule ||
			(isUsual && SINGLE_NAME.test(name)),
	);
	return [...tagged, ...[...repeated, ...others].map(({ key }) => key)];
}

/** The lines of a cue by who speaks: each begins at a name or a dash; lines without either go on. */
function speechesIn(lines: string[], speakers: Set<string>, voices: string[]): Speech[] {
	const speeches: Array<Omit<Speech, 'words'> & { said: string[] }> = [];
	for (const line of lines) {
		const words = line.replace(/^- /, '');
		const isNew = words !== line;
		const { key, from, name } = nameIn(line, voices) ?? { from: 0, name: '' };
		const last = speeches.at(-1);
		if (key !== undefined && speakers.has(key))
			speeches.push({
				name: VOICE_MARK.test(words) ? `${name}:` : words.slice(0, from).trim(),
				speaker: key,
				isNew,
				said: [words.slice(from)],
			});
		else if (last && !isNew) last.said.push(words);
		else speeches.push({ name: '', isNew, said: [words] });
	}
	return speeches
		.map(({ said, ...speech }) => ({ ...speech, words: said.join(' ').trim() }))
		.filter(({ words }) => words !== '');
}

/** What one request speaks, from the second at which it is to be heard; in a dialogue, several may speak. */
interface Sentence {
	start: number;
	end: number;
	speeches: Speech[];
}

/** Ends of cues whose sentence goes on, where captions have no full stops. */
const GOES_ON = /[,;:،、，；：–—-]$/u;
/** An ellipsis that ends a cue, and the next begins with one or a small letter: one sentence goes over both. */
const TRAILS_OFF = /(?:…|\.{2,})$/u;
const DOTS = /^(?:…|\.{2,}) ?/u;
const TAKES_UP = /^(?:…|\.{2,}|\p{Ll})/u;

/** Brings cues that are one sentence together: the start of each sentence is exact, not that of each cue in it. */
function wholeSentences(cues: FileCue[], speakers: Set<string>, voices: string[]): Sentence[] {
	const all = cues
		.map(
			({ lines, ...times }): Sentence => ({
				...times,
				speeches: speechesIn(lines, speakers, voices),
			}),
		)
		.filter(({ speeches }) => speeches.length > 0);
	const lastOf = ({ speeches }: Sentence) => speeches[speeches.length - 1];
	const ended = all.filter((one) => SENTENCE_END.test(lastOf(one).words)).length;
	const isPunctuated = ended >= PUNCTUATED * all.length;
	const words = all
		.flatMap(({ speeches }) => speeches)
		.reduce((sum, one) => sum + wordCount(one.words), 0);
	const isByWord = words <= MOST_WORDS_OF_WORD_CUES * all.length;
	const close = isByWord ? CLOSE_WORDS : CLOSE;
	const goesOn = ({ words }: Speech, next: Speech) =>
		isPunctuated || isByWord
			? !SENTENCE_END.test(words) || (TRAILS_OFF.test(words) && TAKES_UP.test(next.words))
			: GOES_ON.test(words);
	const length = ({ speeches }: Sentence) =>
		speeches.reduce((sum, { words }) => sum + countCharacters(words) + 1, 0);
	const sentences: Sentence[] = [];
	for (const one of all) {
		const [first, ...others] = one.speeches;
		const before = sentences.at(-1);
		const isOneSentence =
			before &&
			!first.isNew &&
			(first.speaker ?? lastOf(before).speaker) === lastOf(before).speaker &&
			one.start - before.end < close &&
			length(before) + length(one) <= LONGEST_SENTENCE &&
			goesOn(lastOf(before), first);
		if (isOneSentence) {
			const last = lastOf(before);
			const words = TRAILS_OFF.test(last.words) ? first.words.replace(DOTS, '') : first.words;
			last.words += ` ${words}`;
			before.speeches.push(...others);
		} else if (before?.start === one.start) before.speeches.push(...one.speeches);
		else sentences.push(one);
		const last = sentences[sentences.length - 1];
		last.end = Math.max(last.end, one.end);
	}
	return sentences;
}

/**
 * The sentences of a file; undefined: the text is the `remainingText` of one, whose marks say the times. Throws
 * InputError when nobody can speak it.
 */
function readFile(
	source: string,
	names: string[],
): { sentences: Sentence[]; notes: string[]; lettersLeftOut: number } | undefined {
	const { cues, preface } = cuesOf(source);
	if (cues.length === 0) {
		if (takePauses(source).pauses.some(({ heardAt }) => heardAt !== undefined)) return undefined;
		throw noFile('The text has no line of times such as 00:00:01,000 --> 00:00:03,500');
	}
	const listedNames = new Set(names.map(foldName));
	const voices: string[] = [];
	const worded = cues.map((cue) => ({ ...cue, lines: wordsOfCue(cue.lines, listedNames, voices) }));
	const spoken = unrolled(
		worded.filter(({ lines }) => lines.length > 0).sort((a, b) => a.start - b.start),
	);
	const { cues: sorted, note } = fromFirstHour(spoken);
	const silent = cues.find(
		({ lines }, index) => decoded(lines.join('')).trim() !== '' && worded[index].lines.length === 0,
	);
	const speakers = speakersIn(sorted, voices, silent !== undefined);
	const sentences = wholeSentences(sorted, new Set([...listedNames, ...speakers]), voices);
	if (sentences.length === 0)
		throw noFile('The subtitles have no words to speak: their cues are music, sounds or empty');
	const leftOut = silent?.lines.join(' ').trim() ?? preface;
	const tagged: string[] = [];
	const all = cues.map((cue) => withoutMarkup(cue.lines.join('\n'), CUE_MARKUP, tagged));
	const spokenLines = worded.flatMap(({ lines }) => lines);
	return {
		sentences,
		lettersLeftOut:
			letters([preface, ...all, ...tagged].join()) - letters([...spokenLines, ...voices].join()),
		notes: [
			...(leftOut
				? [`Of the subtitles, what nobody says was left out, such as "${beginningOf(leftOut, 60)}"`]
				: []),
			...note,
		],
	};
}

const HOUR = 3600;
/** The first words of a file stand within two minutes. Seconds. */
const LATEST_FIRST = 120;
/** So much silence before the first words is told. Seconds. */
const LONG_SILENCE = 60;

/** Video editors begin at 01:00:00 or 10:00:00: that hour is taken off. Any other late start is kept, and told. */
function fromFirstHour(cues: FileCue[]): { cues: FileCue[]; note: string[] } {
	const first = cues.at(0)?.start ?? 0;
	const hour = first % HOUR < LATEST_FIRST ? first - (first % HOUR) : 0;
	const moved = cues.map((cue) => ({ ...cue, start: cue.start - hour, end: cue.end - hour }));
	const told =
		hour > 0
			? `: the ${clock(hour)} before them were taken off all times.`
			: ', so the file begins with as much silence.';
	const isTold = hour > 0 || first >= LONG_SILENCE;
	return { cues: moved, note: isTold ? [`The subtitles begin at ${clock(first)}${told}`] : [] };
}

/** Reads subtitles for one voice: the names of speakers are left out. */
export function readSubtitles(source: string): ReadText {
	const file = readFile(source, []);
	if (!file) return { text: source, headings: [], dropped: [], notes: [] };
	const { sentences, notes, lettersLeftOut } = file;
	const text = sentences.map(
		({ start, speeches }) => `${timeMark(start)} ${speeches.map(({ words }) => words).join('\n')}`,
	);
	const name = sentences.flatMap(({ speeches }) => speeches).find((one) => one.name !== '')?.name;
	if (name !== undefined)
		notes.push(
			`The names of speakers were left out, such as "${name}" Speech → Dialogue gives each of them a voice.`,
		);
	return { text: text.join('\n'), headings: [], dropped: [], notes, lettersLeftOut };
}

/** Writes subtitles as a script, and tells who speaks in them, folded. `listed`: the speakers that are known. */
export function scriptOfSubtitles(
	source: string,
	listed: string[],
): { text: string; notes: string[]; names: string[]; lettersLeftOut: number } {
	const file = readFile(source, listed);
	if (!file) return { text: source, notes: [], names: [], lettersLeftOut: 0 };
	const text = file.sentences.map(
		({ start, speeches }) =>
			`${timeMark(start)} ${speeches.map(({ name, words }) => `${name} ${words}`.trim()).join('\n')}`,
	);
	const speakers = file.sentences.flatMap(({ speeches }) =>
		speeches.flatMap((one) => one.speaker ?? []),
	);
	const { notes, lettersLeftOut } = file;
	return { text: text.join('\n'), notes, names: [...new Set(speakers)], lettersLeftOut };
}
