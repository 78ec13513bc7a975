import type { IDataObject } from 'n8n-workflow';
import { InputError } from '../../core/errors';
import { endpoints } from '../../gateway/endpoints';
import { inspectRecording, type Recording } from '../../flows/files/recording';
import type { ItemRequests } from '../../run/requests/itemRequests';
import { withoutErrorKey } from '../../run/outputItems';
import { resourceBody } from '../../flows/tasks';
import { fetchVoices } from '../../flows/lists';
import { flagOption, textField } from '../../run/fields/kinds';
import type { InputOf } from '../../run/fields/field';
import { requiredText } from '../../run/fields/checks';
import { defineOperation } from '../../run/operation';
import { CLONE_TOKENS } from '../../core/billing';
import { speechModelField } from '../fields/model';

/** Read as MiB; the gateway may refuse earlier. */
const MAX_RECORDING_MB = 20;
/** Shorter recordings are sent, with a hint: the voice may not sound alike. */
const RECOMMENDED_SECONDS = 30;

const fields = {
	model: speechModelField,
	title: textField(
		{
			displayName: 'Title',
			name: 'title',
			hint: `Each clone costs ${CLONE_TOKENS} tokens; the option "Reuse Existing" avoids a second clone of the same title`,
			placeholder: 'e.g. Anna, calm',
			description: 'The name under which the voice appears in lists',
		},
		(value, label) => requiredText(value, label).trim(),
	),
	binaryPropertyName: textField({
		displayName: 'Input Binary Field',
		name: 'binaryPropertyName',
		default: 'data',
		hint: `The name of the field with the recording: one clear voice, at least ${RECOMMENDED_SECONDS} seconds, at most ${MAX_RECORDING_MB} MB`,
		description: 'The binary field of the incoming item that holds the recording',
	}),
	reuseExisting: flagOption({
		displayName: 'Reuse Existing',
		name: 'reuseExisting',
		default: false,
		description:
			'Whether to return a voice that already has this title instead of cloning and paying again',
	}),
};

type VoiceInput = InputOf<typeof fields> & { recording: Recording };

export const create = defineOperation({
	resource: 'voice',
	operation: 'create',
	name: 'Clone',
	action: 'Clone voice from recording',
	description: `Clone a voice from a recording; each clone costs ${CLONE_TOKENS} tokens`,
	sends: [endpoints.createVoice, endpoints.voices],
	input: fields,

	async prepare(input, { context, index }): Promise<VoiceInput> {
		const { binaryPropertyName } = input;
		const recording = await inspectRecording(
			context,
			index,
			binaryPropertyName,
			MAX_RECORDING_MB * 1024 * 1024,
		);
		return { ...input, recording };
	},
	describe: ({ title, recording }) => ({
		input: title,
		fileName: recording.fileName,
		estimatedTokens: CLONE_TOKENS,
	}),

	async execute(input, item) {
		const voice = input.reuseExisting
			? await item.session.once(
					`voice ${input.title}`,
					async () => (await findVoice(item, input)) ?? (await clone(item, input)),
				)
			: await clone(item, input);
		return { branch: 'success', items: [{ json: withoutErrorKey(voice, 'voiceError') }] };
	},
});

async function findVoice(
	item: ItemRequests,
	{ model, title }: VoiceInput,
): Promise<IDataObject | undefined> {
	const voices = await fetchVoices(item, model);
	return voices.find((voice) => voice.title === title);
}

async function clone(item: ItemRequests, input: VoiceInput): Promise<IDataObject> {
	const { model, title, binaryPropertyName, recording } = input;
	const { context, hints } = item.session;
	if (recording.seconds !== undefined && recording.seconds < RECOMMENDED_SECONDS) {
		hints.add(
			`The recording for "${title}" is only ${Math.round(recording.seconds)} seconds long; the gateway recommends at least ${RECOMMENDED_SECONDS}.`,
		);
	}
	return await item.billed({
		name: 'voice',
		endpoint: endpoints.createVoice,
		input: { model, title, bytes: recording.bytes, fileName: recording.fileName },
		about: { model },
		body: async () => {
			const audio = await context.helpers.getBinaryDataBuffer(item.index, binaryPropertyName);
			if (audio.length === 0) throw new InputError(`The file in "${binaryPropertyName}" is empty`);
			const form = new FormData();
			form.append('model', model);
			form.append('title', title);
			form.append(
				'audio',
				new Blob([new Uint8Array(audio)], { type: recording.mimeType }),
				recording.fileName,
			);
			return form;
		},
		read: async (reply) => {
			const voice = resourceBody(await item.session.transport.readJson(reply));
			const id = voice._id ?? voice.id ?? voice.voice_id;
			if (typeof id !== 'string' || id === '') throw new Error('the answer has no voice id');
			return { title, ...voice, _id: id };
		},
	});
}
