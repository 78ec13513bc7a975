/** What a language model writes for its program: the tokens between its turns, and its thoughts. */

const ROLE = '(?:system|user|assistant|developer|tool|model|ipython|final|analysis|commentary)';
/** `<|im_start|>assistant`, `<start_of_turn>model`, `[/INST]`. */
const MODEL_TOKEN = new RegExp(
	`(?:<\\|\\w{1,40}\\|>|<(?:start|end)_of_turn>)(?:${ROLE}(?=\\s*(?:\\n|<\\||$)))?|\\[/?INST\\]`,
	'g',
);
/** The channels of a model that are not for the reader. */
const CHANNEL =
	/(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)[^<\n]{0,80}<\|message\|>[^]*?(?:<\|(?:end|return|call)\|>|(?=<\|(?:start|channel)\|>)|(?![^]))/g;
const THOUGHTS =
	/[<◁](\/?)(?:[a-z]{1,10}:)?(?:think(?:ing)?|thoughts?|reasoning|analysis|reflection|scratchpad|plan)\s*[>▷]/gi;
/** The tag before a model's thoughts is often part of its prompt, so its answer has only the one behind them. */
const END_OF_THOUGHTS = /^[ \t]*[<◁]\/(?:[a-z]{1,10}:)?think(?:ing)?\s*[>▷][ \t]*\r?$/gim;

const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

/** Leaves out the tokens of a model, and its channels of thoughts if something else is left. */
export function withoutTokens(source: string): string {
	const said = source.replace(CHANNEL, '');
	const left = (hasWords(said.replace(MODEL_TOKEN, '')) ? said : source).replace(MODEL_TOKEN, '');
	return left === source ? source : left.trim();
}

/**
 * Leaves out a model's thoughts, `<think>…</think>`, which may be several paragraphs and hold Markdown, or all before a
 * `</think>` without a beginning that has its line to itself. Without an end, they are text; if nothing else is left,
 * only the tags are left out.
 */
export function withoutThoughts(source: string): string {
	let text = '';
	let from = 0;
	let start = -1;
	const tags = [...source.matchAll(THOUGHTS)];
	const beginning = tags.find(({ 1: closing }) => !closing)?.index ?? source.length;
	for (const { 0: line, index } of source.matchAll(END_OF_THOUGHTS))
		if (index < beginning) from = index + line.length;
	for (const { 0: tag, 1: closing, index } of tags) {
		if (!closing) start = start < 0 ? index : start;
		else if (start >= 0) {
			text += source.slice(from, start);
			from = index + tag.length;
			start = -1;
		}
	}
	if (from === 0) return source;
	const said = text + source.slice(from);
	return (hasWords(said) ? said : source.replace(THOUGHTS, '')).trim();
}
