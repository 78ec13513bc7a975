/**
 * Cloned voices. Clone uploads a recording as a multipart form and is charged a fixed CLONE_TOKENS, however long it is;
 * its item is the gateway's answer with `_id`. Its request key is made of model, title and the file's SHA-256: in a
 * retry, the same recording is not paid for again. After a 504 the voice may exist: the item leaves on Unknown, and Get
 * Many, which is free, shows whether it does.
 */
import type { IDataObject } from 'n8n-workflow';
import { CLONE_TOKENS, RECOMMENDED_RECORDING_SECONDS } from '../../core/limits';
import { type CloneValues, voice } from './voice.form';
import { chunksOf, collect, fileOf } from '../../files/inputFile';
import { inspectRecording, type Recording } from '../../files/recording';
import { readPaidJson } from '../../files/received';
import { fetchVoices } from '../../requests/lists';
import { resourceBody } from '../../tasks/task';
import { lookUpVoices, titleIn, voiceIdIn, voiceNameOf } from '../../speech/voices';
import { endpoints } from '../../gateway/endpoints';
import { defineOperation } from '../../requests/operation';
import { withoutErrorKey } from '../../core/json';
import type { ItemRequests } from '../../requests/itemRequests';
import type { VoiceIds } from '../../requests/records';

type VoiceInput = CloneValues & { recording: Recording };

const create = defineOperation(voice.create, {
	async prepare(input, { nodeCall, index }): Promise<VoiceInput> {
		// Hashed now and read again for the upload: recordings of items that wait for a turn take no memory.
		const recording = await inspectRecording(nodeCall, index, input.binaryPropertyName);
		return { ...input, recording };
	},
	describe: ({ title, recording }) => ({
		input: title,
		fileName: recording.fileName,
		estimatedTokens: CLONE_TOKENS,
	}),

	async execute(input, item) {
		// Items with one title share the search and the clone: side by side, each would find no such voice and pay for one.
		const made = input.reuseExisting
			? await item.session.share(
					`voice ${input.model} ${input.title}`,
					async () => (await findVoice(item, input)) ?? (await clone(item, input)),
				)
			: await clone(item, input);
		return { branch: 'success', items: [{ json: withoutErrorKey(made, 'voiceError') }] };
	},
});

/** The account's voice with exactly this title, the first of several; free. Spaces around a title do not count. */
async function findVoice(
	item: ItemRequests,
	{ model, title }: VoiceInput,
): Promise<IDataObject | undefined> {
	const voices = await fetchVoices(item, model);
	const voice = voices.find((one) => titleIn(one) === title);
	const id = voice && voiceIdIn(voice);
	// Under the name that a new clone has: without it, the next node would speak, and pay, with the default voice.
	return id === undefined ? voice : { ...voice, _id: id };
}

/** Uploads the recording; billed. Resolves to the new voice with its `_id`; an answer without an ID is a damaged result. */
async function clone(item: ItemRequests, input: VoiceInput): Promise<IDataObject> {
	const { model, title, binaryPropertyName, recording } = input;
	const { nodeCall, hints } = item.session;
	if (recording.seconds !== undefined && recording.seconds < RECOMMENDED_RECORDING_SECONDS) {
		hints.add(
			`The recording for "${title}" is only ${Math.floor(recording.seconds)} seconds long; the gateway recommends at least ${RECOMMENDED_RECORDING_SECONDS}.`,
		);
	}
	return await item.billed({
		endpoint: endpoints.createVoice,
		input: { model, title, sha256: recording.sha256 },
		about: { model },
		price: { estimate: CLONE_TOKENS, isExact: true },
		body: async () => {
			const file = fileOf(nodeCall, item.index, binaryPropertyName);
			const audio = await collect(await chunksOf(nodeCall, file));
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
		read: async (response) =>
			await readPaidJson(item, response, (answer) => {
				const voice = resourceBody(answer);
				const id = voiceIdIn(voice);
				if (id === undefined) throw new Error('the answer has no voice id');
				return { title, ...voice, _id: id };
			}),
	});
}

/** Deletes a voice for good; free. A voice named by its title is looked up first, so the item always has the ID. */
const deleteVoice = defineOperation(voice.delete, {
	plan: (input, ids?: VoiceIds) => voiceNameOf(input.voice, ids),
	lookUp: ({ input }, item) => lookUpVoices(item, input.model, [input.voice]),
	deletes: true,

	async execute({ model }, item, id: string) {
		await item.delete(endpoints.deleteVoice(id, model), { kind: 'voice', id });
		return { branch: 'success', items: [{ json: { _id: id, deleted: true } }] };
	},
});

/** Lists the account's own voices, without the default one; free. As for models, `limit` only cuts what leaves the node. */
const getMany = defineOperation(voice.getMany, {
	async execute({ model, limit }, item) {
		const own = await fetchVoices(item, model);
		const items = own.slice(0, limit).map((one) => ({ json: withoutErrorKey(one, 'voiceError') }));
		return { branch: 'success', items };
	},
});

/** What the forms of `voice.form.ts` do. */
export const voiceOperations = [create, deleteVoice, getMany];
