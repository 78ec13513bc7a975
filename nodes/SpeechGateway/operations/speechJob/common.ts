import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import type { ItemRun } from '../../run/itemRun';
import { withoutErrorKey } from '../../run/items';
import { type WaitSettings, waitForTask } from '../../run/jobs';
import type { Outcome } from '../../run/operation';
import { downloadAudio } from '../../run/speak';
import type { AudioFormat } from '../../core/audio';
import {
	binaryOptions,
	maxEstimatedTokensOption,
	modelMultiplierOption,
	responseFormatField,
	speechModelField,
	speedOption,
	textField,
	voiceField,
} from '../fields';
import { estimateOf, type SpeechInput } from '../speechInput';

export const jobFields: INodeProperties[] = [
	speechModelField,
	{ ...textField, hint: 'At most 10,000 characters' },
	voiceField,
	responseFormatField,
];
export const jobOptions: INodeProperties[] = [
	...binaryOptions,
	maxEstimatedTokensOption,
	modelMultiplierOption,
	speedOption,
];

export const jobIdField: INodeProperties = {
	displayName: 'Job ID',
	name: 'jobId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. spj_0123456789',
	description: 'The ID of a speech job, as "Create" returned it',
};

export const knownFormatField: INodeProperties = {
	...responseFormatField,
	description: 'The audio format that the job was created with; it cannot be changed afterwards',
};

/** A job as item json; its `error` never keeps that name. */
export const jobJson = (job: IDataObject): IDataObject => withoutErrorKey(job, 'jobError');

export interface AudioTarget {
	responseFormat: AudioFormat;
	fileName: string;
	binaryPropertyName: string;
}

/** Waits for a job, and downloads its audio; the item goes on to Still Processing when the user chose so. */
export async function waitAndDownload(
	item: ItemRun,
	id: string,
	target: AudioTarget,
	wait: WaitSettings,
	{ pollAtOnce, known }: { pollAtOnce: boolean; known: IDataObject },
): Promise<Outcome> {
	const { completed, body, waitedSeconds } = await waitForTask(
		item,
		{ thing: 'job', id },
		wait,
		pollAtOnce,
	);
	const json = { ...jobJson({ ...known, ...body }) };
	if (!completed) return { branch: 'waiting', items: [{ json: { ...json, waitedSeconds } }] };
	return { branch: 'success', items: [await withAudio(item, id, target, json)] };
}

export async function withAudio(
	item: ItemRun,
	id: string,
	target: AudioTarget,
	json: IDataObject,
): Promise<INodeExecutionData> {
	const { binary, info } = await downloadAudio(item, id, target.responseFormat, target.fileName);
	return {
		json: { ...json, durationSeconds: info.seconds, bytes: info.bytes },
		binary: { [target.binaryPropertyName]: binary },
	};
}

export const jobTokens = (input: SpeechInput): number => estimateOf(input).estimatedTokensAsJob;

export const describeJob = (input: SpeechInput) => ({
	characters: input.characters,
	estimatedTokens: jobTokens(input),
});
