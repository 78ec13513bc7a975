import { randomBytes } from 'node:crypto';

import { countCharacters, price } from './billing';
import { type Call, json, type Work } from './exchange';
import { audioOf, audioReply, readSpeechRequest } from './speech';
import { newTask, ownTask, phaseOf, requireCompleted } from './tasks';
import type { SpeechJob } from './world';

const STATUS = {
	waiting: 'pending',
	working: 'processing',
	completed: 'completed',
	failed: 'failed',
} as const;

/** The job as a poll shows it, with more fields than the creation. */
export function jobJson(job: SpeechJob) {
	const phase = phaseOf(job);
	return {
		...createdJson(job),
		status: STATUS[phase],
		error: phase === 'failed' ? job.failure : null,
		model: job.model,
		voice: job.voice,
		response_format: job.format,
		speed: job.speed,
		input_characters: countCharacters(job.input),
		completed_at: phase === 'completed' ? Math.floor(job.readyAt / 1000) : null,
		audio_seconds: phase === 'completed' ? job.audio.seconds : null,
	};
}

const createdJson = (job: SpeechJob) => ({
	id: job.id,
	object: 'audio.speech.job',
	status: 'pending',
	created_at: Math.floor(job.createdAt / 1000),
});

/** POST /v1/audio/speech/jobs */
export async function createJob(call: Call): Promise<Work> {
	const { world } = call;
	const speech = readSpeechRequest(call);
	const audio = await audioOf(speech, world);
	return {
		price: price.job(speech.input, world.options.multiplier),
		reply: () => {
			const id = `spj_${randomBytes(12).toString('hex')}`;
			const { voice, format, speed } = speech;
			const task = newTask(call, id, speech.model, speech.input);
			const job = { ...task, voice, format, speed, audio };
			world.jobs.push(job);
			return json(createdJson(job));
		},
	};
}

/** GET /v1/audio/speech/jobs/{id} */
export function getJob(call: Call): Work {
	const job = ownTask(call.world.jobs, call);
	return { reply: () => json(jobJson(job)) };
}

/** GET /v1/audio/speech/jobs/{id}/content */
export function getJobContent(call: Call): Work {
	const job = ownTask(call.world.jobs, call);
	requireCompleted(job);
	const bytes = call.fault.contentBytes ?? job.contentBytes;
	return { reply: () => audioReply(job, job.audio, call.world.options, bytes) };
}
