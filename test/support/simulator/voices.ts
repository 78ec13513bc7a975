import { randomBytes } from 'node:crypto';

import { now } from '../clock';
import { price } from './billing';
import { ApiError } from './errors';
import { type Call, json, type Work } from './exchange';
import { checkModel } from './models';
import type { Voice } from './world';

export interface FilePart {
	filename: string;
	contentType: string;
	size: number;
}

const MAX_FILE_BYTES = 20 * 1024 * 1024;

const voiceJson = ({ _id, title, created_at }: Voice) => ({ _id, title, created_at });

/** POST /v1/audio/voices (multipart: model, title, audio). Whether `title` is required is not described: it is not here. */
export function createVoice(call: Call): Work {
	const { world, account, request } = call;
	const body = (request.body ?? {}) as Record<string, string | FilePart>;
	if (!request.headers['content-type']?.startsWith('multipart/form-data')) {
		throw new ApiError(400, 'Expected multipart/form-data', 'invalid_content_type');
	}
	checkModel(body.model, 'speech');
	const { audio, title = '' } = body;
	if (typeof audio !== 'object' || audio.size === 0) {
		throw new ApiError(400, 'audio is required', 'missing_parameter', 'audio');
	}
	if (audio.size > MAX_FILE_BYTES) {
		throw new ApiError(413, 'audio exceeds 20 MB', 'file_too_large', 'audio');
	}
	return {
		price: price.voice(String(title)),
		reply: () => {
			const voice: Voice = {
				account: account.account,
				_id: randomBytes(16).toString('hex'),
				title: String(title),
				created_at: Math.floor(now() / 1000),
				size: audio.size,
			};
			world.voices.push(voice);
			return json({ ...voiceJson(voice), type: 'tts', state: 'trained', visibility: 'private' });
		},
	};
}

/** GET /v1/audio/voices?model= */
export function listVoices(call: Call): Work {
	checkModel(call.request.query.model, 'speech');
	const own = call.world.voices.filter(({ account }) => account === call.account.account);
	return { reply: () => json({ items: own.map(voiceJson) }) };
}

/** DELETE /v1/audio/voices/{id}?model= */
export function deleteVoice(call: Call): Work {
	const { world, account, id } = call;
	checkModel(call.request.query.model, 'speech');
	const voice = world.voices.find(({ _id }) => _id === id);
	if (!voice) throw new ApiError(404, `No such voice: ${id}`, 'voice_not_found');
	if (voice.account !== account.account) {
		throw new ApiError(403, 'The voice belongs to another account', 'voice_forbidden');
	}
	return {
		reply: () => {
			world.voices.splice(world.voices.indexOf(voice), 1);
			return json({ message: 'deleted' });
		},
	};
}
