import { endpoints } from '../../gateway/endpoints';

/** Every endpoint that speaking in parts may send to. */
export const speakingEndpoints = [
	endpoints.voices,
	endpoints.speech,
	endpoints.createJob,
	endpoints.job,
	endpoints.jobContent,
];

export const speakingPrice =
	'about 1,000 tokens per minute of audio. Speech → Estimate calculates the number for free.';
