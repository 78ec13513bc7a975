import { randomBytes } from 'node:crypto';

import { seeds } from './audio/seeds';
import { price } from './billing';
import { ApiError } from './errors';
import { type Call, json, jsonBody, type Work } from './exchange';
import { checkModel } from './models';
import { newTask, ownTask, phaseOf, requireCompleted } from './tasks';
import type { Task } from './world';

const STATUS = {
	waiting: 'queued',
	working: 'in_progress',
	completed: 'completed',
	failed: 'failed',
} as const;

export function videoJson(video: Task) {
	const phase = phaseOf(video);
	return {
		id: video.id,
		object: 'video',
		status: STATUS[phase],
		model: video.model,
		created_at: Math.floor(video.createdAt / 1000),
		error: phase === 'failed' ? video.failure : null,
	};
}

/** POST /v1/videos. Its body is not described: model and prompt are required, anything else is accepted. */
export function createVideo(call: Call): Work {
	const { world } = call;
	const body = jsonBody(call);
	const model = checkModel(body.model, 'video');
	const { prompt } = body;
	if (typeof prompt !== 'string' || prompt === '') {
		throw new ApiError(400, 'prompt is required', 'missing_parameter', 'prompt');
	}
	return {
		price: price.video(prompt, world.options.multiplier),
		reply: () => {
			const video = newTask(call, `video_${randomBytes(12).toString('hex')}`, model, prompt);
			world.videos.push(video);
			return json({ ...videoJson(video), status: 'pending' });
		},
	};
}

/** GET /v1/videos/{id} */
export function getVideo(call: Call): Work {
	const video = ownTask(call.world.videos, call);
	return { reply: () => json(videoJson(video)) };
}

const ZEROS = Buffer.alloc(65_536);

/** The seed film, followed by a `free` box up to the size wanted: still a valid MP4. */
function film(bytes: number) {
	const padding = Math.max(8, bytes - seeds.video.length);
	const box = Buffer.alloc(8);
	box.writeUInt32BE(padding, 0);
	box.write('free', 4, 'latin1');
	return {
		length: seeds.video.length + padding,
		*chunks() {
			yield seeds.video;
			yield box;
			for (let left = padding - 8; left > 0; left -= ZEROS.length) {
				yield ZEROS.subarray(0, Math.min(left, ZEROS.length));
			}
		},
	};
}

/** GET /v1/videos/{id}/content */
export function getVideoContent(call: Call): Work {
	const video = ownTask(call.world.videos, call);
	requireCompleted(video);
	const bytes = call.fault.contentBytes ?? video.contentBytes;
	return {
		reply: () => ({ contentType: 'video/mp4', body: bytes ? film(bytes) : seeds.video }),
	};
}
