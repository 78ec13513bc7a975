import { type AudioFormat, MIME_TYPES, renderAudio } from './audio';
import { countCharacters, price } from './billing';
import { ApiError } from './errors';
import { type Call, jsonBody, type Reply, requireCapability, type Work } from './exchange';
import { checkModel } from './models';
import type { SimulatorOptions, World } from './world';

const MAX_CHARACTERS = 10_000;
const FIELDS = ['model', 'input', 'voice', 'response_format', 'speed'];

/** Seconds of the service for each character: 1310 characters pass the limit of 100 s, 3275 do not. */
export const WORK_SECONDS_PER_CHARACTER = 0.045;

export interface SpeechRequest {
	model: string;
	input: string;
	voice: string;
	format: AudioFormat;
	speed: number;
}

/** Checks the body that speech and speech jobs share. Throws 400, 403, 404 and 422. */
export function readSpeechRequest(call: Call): SpeechRequest {
	const body = jsonBody(call);
	const model = checkModel(body.model, 'speech');
	requireCapability(call, 'speech');
	const extra = Object.keys(body).find((key) => !FIELDS.includes(key));
	if (extra) throw unsupported(extra, `The parameter '${extra}' is not supported`);
	const { input, voice = 'default', response_format: format = 'mp3', speed = 1 } = body;
	if (typeof input !== 'string' || input === '') {
		throw new ApiError(400, 'input is required', 'missing_parameter', 'input');
	}
	if (countCharacters(input) > MAX_CHARACTERS) {
		throw new ApiError(400, 'input exceeds 10000 characters', 'input_too_long', 'input');
	}
	if (typeof format !== 'string' || !(format in MIME_TYPES)) {
		throw unsupported('response_format', `response_format '${String(format)}' is not supported`);
	}
	if (typeof speed !== 'number' || !(speed >= 0.5 && speed <= 2)) {
		throw unsupported('speed', 'speed must be from 0.5 to 2.0');
	}
	if (typeof voice !== 'string') throw unsupported('voice', 'voice must be a string');
	if (voice !== 'default' && !ownsVoice(call, voice)) {
		throw new ApiError(403, 'The voice belongs to another account', 'voice_forbidden', 'voice');
	}
	return { model, input, voice, format: format as AudioFormat, speed };
}

const unsupported = (param: string, message: string) =>
	new ApiError(422, message, 'unsupported_parameter', param);

const ownsVoice = ({ world, account }: Call, id: string) =>
	world.voices.some((voice) => voice._id === id && voice.account === account.account);

export function secondsOf(
	{ input, speed }: { input: string; speed: number },
	options: Required<Pick<SimulatorOptions, 'secondsPerCharacter'>>,
): number {
	return (countCharacters(input) * options.secondsPerCharacter) / speed;
}

/** The audio of a request, or about `contentBytes` of it. */
export function audioReply(
	speech: Pick<SpeechRequest, 'input' | 'format' | 'speed'>,
	{ options }: World,
	contentBytes?: number,
): Reply {
	const render = (seconds: number) =>
		renderAudio(speech.input, seconds, speech.format, options.wavHeader);
	const SAMPLE_SECONDS = 60;
	const seconds = contentBytes
		? (contentBytes / render(SAMPLE_SECONDS).length) * SAMPLE_SECONDS
		: secondsOf(speech, options);
	return { contentType: MIME_TYPES[speech.format], body: render(seconds) };
}

/** POST /v1/audio/speech */
export function createSpeech(call: Call): Work {
	const { world, request, fault } = call;
	const speech = readSpeechRequest(call);
	const { latencyMs, timeScale, multiplier } = world.options;
	const latency = typeof latencyMs === 'function' ? latencyMs(request) : latencyMs;
	const workSeconds = countCharacters(speech.input) * WORK_SECONDS_PER_CHARACTER;
	return {
		milliseconds: latency ?? workSeconds * timeScale * 1000,
		limited: true,
		price: price.speech(speech.input, secondsOf(speech, world.options), multiplier),
		reply: () => audioReply(speech, world, fault.contentBytes),
	};
}
