import { type Audio, audioFile, type AudioFormat, MIME_TYPES, renderAudio } from './audio';
import { PCM_SAMPLE_RATE } from './audio/sound';
import { speak } from './audio/speak';
import { countCharacters, price } from './billing';
import { ApiError } from './errors';
import { type Call, jsonBody, type Reply, type Work } from './exchange';
import { checkModel } from './models';
import type { World } from './world';

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
	const allowed = [...FIELDS, ...call.world.options.speechFields];
	const extra = Object.keys(body).find((key) => !allowed.includes(key));
	if (extra) throw unsupported(extra, `The parameter '${extra}' is not supported`);
	const { needsVoice, maxBytes = Infinity, paths } = call.world.dialect;
	if (needsVoice && body.voice === undefined) {
		throw new ApiError(400, 'voice is required', 'voice_required', 'voice');
	}
	const { input, voice = 'default', response_format: format = 'mp3', speed = 1 } = body;
	if (typeof input !== 'string' || input === '') {
		throw new ApiError(400, 'input is required', 'missing_parameter', 'input');
	}
	if (countCharacters(input) > MAX_CHARACTERS) {
		throw new ApiError(400, 'input exceeds 10000 characters', 'input_too_long', 'input');
	}
	if (Buffer.byteLength(input) > maxBytes) {
		throw new ApiError(400, 'input is too long', 'text_too_long');
	}
	if (typeof format !== 'string' || !(format in MIME_TYPES)) {
		throw unsupported('response_format', `response_format '${String(format)}' is not supported`);
	}
	if (typeof speed !== 'number' || !(speed >= 0.5 && speed <= 2)) {
		throw unsupported('speed', 'speed must be from 0.5 to 2.0');
	}
	if (typeof voice !== 'string') throw unsupported('voice', 'voice must be a string');
	// Where no voices can be cloned, they are the provider's.
	if (voice !== 'default' && paths.test('/v1/audio/voices') && !ownsVoice(call, voice)) {
		throw new ApiError(403, 'The voice belongs to another account', 'voice_forbidden', 'voice');
	}
	return { model, input, voice, format: format as AudioFormat, speed };
}

const unsupported = (param: string, message: string) =>
	new ApiError(422, message, 'unsupported_parameter', param);

const ownsVoice = ({ world, account }: Call, id: string) =>
	world.voices.some((voice) => voice._id === id && voice.account === account.account);

/** What a request sounds like: spoken, or a melody of the length that the text has at this speed. */
export async function audioOf(speech: SpeechRequest, { options, voices }: World): Promise<Audio> {
	const { input, voice, format, speed } = speech;
	if (!options.spoken) {
		const seconds = (countCharacters(input) * options.secondsPerCharacter) / speed;
		return { seconds, file: renderAudio(input, seconds, format, options.wavHeader) };
	}
	const title = voices.find(({ _id }) => _id === voice)?.title;
	const sound = await speak(input, { voice: title, speed, format, edges: options.silentEdges });
	return {
		seconds: sound.samples / PCM_SAMPLE_RATE,
		file: audioFile(sound, format, options.wavHeader),
	};
}

/** The answer with a request's audio, or with a melody of about `contentBytes`. */
export function audioReply(
	{ input, format }: Pick<SpeechRequest, 'input' | 'format'>,
	audio: Audio,
	{ wavHeader }: World['options'],
	contentBytes?: number,
): Reply {
	const SAMPLE_SECONDS = 60;
	const render = (seconds: number) => renderAudio(input, seconds, format, wavHeader);
	const body = contentBytes
		? render((contentBytes / render(SAMPLE_SECONDS).length) * SAMPLE_SECONDS)
		: audio.file;
	return { contentType: MIME_TYPES[format], body };
}

/** POST /v1/audio/speech */
export async function createSpeech(call: Call): Promise<Work> {
	const { world, request, fault } = call;
	const speech = readSpeechRequest(call);
	const audio = await audioOf(speech, world);
	const { latencyMs, timeScale, multiplier } = world.options;
	const latency = typeof latencyMs === 'function' ? latencyMs(request) : latencyMs;
	const workSeconds = countCharacters(speech.input) * WORK_SECONDS_PER_CHARACTER;
	return {
		milliseconds: latency ?? workSeconds * timeScale * 1000,
		limited: true,
		price: price.speech(speech.input, audio.seconds, multiplier),
		reply: () => audioReply(speech, audio, world.options, fault.contentBytes),
	};
}
