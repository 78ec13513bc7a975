import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import type { ItemRequests } from '../../run/requests/itemRequests';
import { downloadAudio } from '../../flows/speak';
import type { AudioFormat } from '../../core/audio';
import { responseFormatField, speechFields, textField } from '../fields';
import { estimateOf, type SpeechInput } from '../speechInput';

export const jobFields = speechFields.map((field) =>
	field === textField
		? {
				...textField,
				hint: 'At most 10,000 characters, charged by their number as soon as the job is submitted',
			}
		: field,
);

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

export interface AudioTarget {
	responseFormat: AudioFormat;
	fileName: string;
	binaryPropertyName: string;
}

export const job = (id: string) => ({ thing: 'job', id }) as const;

/** Downloads the audio of a finished job into the item. */
export async function withAudio(
	item: ItemRequests,
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
