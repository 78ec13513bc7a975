import { idIn, isRecord } from '../core/json';

/** What a model is for. A gateway has one list of all its models. */
export type Capability = 'speech' | 'chat' | 'video' | 'other';

/** The one speech model that the gateway's documentation names. */
export const DEFAULT_SPEECH_MODEL = 'fish-speech';

/**
 * By words of a model's entry, or of its name; the first match counts. Models that listen, draw, compare … cannot be
 * used here.
 */
const SIGNS: Array<[RegExp, Capability]> = [
	[/speech-to|transcri|\basr\b|\bstt\b|whisper|embed|rerank|moderation/, 'other'],
	[/to-text$/, 'chat'],
	[/speech|\btts\b|voice|audio/, 'speech'],
	[/video|\bsora\b|\bveo\b|kling|seedance/, 'video'],
	[/image|dall-e|flux|diffusion/, 'other'],
	[/chat|completion|text|language|\bllm\b/, 'chat'],
	[/\bgpt\b|\bo[134]\b|claude|gemini|llama|qwen|deepseek|mistral|\bglm\b|grok|kimi/, 'chat'],
];

/** Endpoint types that new-api gives to every model, speech and transcription included. */
const SAYS_NOTHING = /^(openai|openai-response.*|anthropic|gemini)$/;

/**
 * What a model can do, as its entry in the list says, or else its name. Gateways differ in where they say it. Empty: not known.
 */
export function capabilitiesOf(model: Record<string, unknown>): Capability[] {
	if (model.id === DEFAULT_SPEECH_MODEL) return ['speech'];
	const { architecture } = model;
	const said = [
		model.type,
		model.task,
		model.capabilities,
		model.supported_endpoint_types,
		model.output_modalities,
		...(isRecord(architecture) ? [architecture.output_modalities, architecture.modality] : []),
	];
	const found = signsOf(said.flatMap(modalitiesIn).filter((word) => !SAYS_NOTHING.test(word)));
	if (found.length > 0) return found;
	return signsOf([idIn(model, 'id', 'name', 'model')?.toLowerCase() ?? '']);
}

/** The capabilities that words name, each once. */
const signsOf = (words: string[]): Capability[] => [
	...new Set(words.flatMap((word) => SIGNS.find(([sign]) => sign.test(word))?.[1] ?? [])),
];

/** A text, a list of texts, or flags by name; of "text+image->text", what comes out. */
function modalitiesIn(value: unknown): string[] {
	if (typeof value === 'string') return [value.toLowerCase().replace(/^.*->/, '')];
	if (Array.isArray(value)) return value.flatMap(modalitiesIn);
	if (!isRecord(value)) return [];
	return Object.keys(value).filter((flag) => value[flag] === true);
}
