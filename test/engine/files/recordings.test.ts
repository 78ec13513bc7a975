/* What is no recording is refused before a clone is paid for. */
import { fixture } from '../../audio/support';
import { item, runNode, storedFile, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1 });

const clone = async (bytes: Uint8Array, mimeType: string) =>
	await runNode({
		parameters: {
			resource: 'voice',
			operation: 'create',
			title: 'Anna',
			binaryPropertyName: 'data',
			options: {},
		},
		items: [{ ...item({}), binary: { data: await storedFile(bytes, 'voice.wav', mimeType) } }],
		onError: 'continueErrorOutput',
		url: sim.url,
		apiKey: sim.apiKey,
	});

const wav = Buffer.from(fixture('wav-24000-mono-s16.wav'));
/** A header of 44 bytes; `size`: of the samples that it promises. */
function headerAlone(size: number): Buffer {
	const header = Buffer.from(wav.subarray(0, 44));
	header.write('data', 36, 'latin1');
	header.writeUInt32LE(size, 40);
	return header;
}
const base64 = wav.toString('base64');
const mp3 = Buffer.from(fixture('mp3-24000-mono-cbr.mp3'));
const m4a = Buffer.concat([Buffer.from('\0\0\0\x18ftypM4A '), Buffer.alloc(100)]);

test.each<[string, Uint8Array, string, string]>([
	['a data URL', Buffer.from(`data:audio/wav;base64,${base64}`), 'audio/wav', 'is a text'],
	['base64', Buffer.from(base64), 'audio/mpeg', 'is a text'],
	['base64 in lines', Buffer.from(base64.replace(/.{76}/g, '$&\r\n')), 'audio/wav', 'is a text'],
	['base64 of MP3', Buffer.from(mp3.toString('base64')), 'audio/mpeg', 'is a text'],
	['base64 of m4a', Buffer.from(m4a.toString('base64')), 'audio/mp4', 'is a text'],
	['a header alone', headerAlone(0), 'audio/wav', 'holds no sound'],
	['a header that promises more', headerAlone(4800), 'audio/wav', 'holds no sound'],
	['a header alone, as bytes', headerAlone(0), 'application/octet-stream', 'holds no sound'],
])('%s is refused', async (_, bytes, type, words) => {
	const { outputs } = await clone(bytes, type);
	expect(outputs[2][0].json.error).toMatchObject({
		message: expect.stringContaining(`The file in "data" ${words}`),
		description: expect.stringContaining('Nothing was sent.'),
	});
	expect(sim.requests).toEqual([]);
});

test.each<[string, Uint8Array, string]>([
	['WAV', wav, 'audio/wav'],
	['a WAV that is cut', wav.subarray(0, 2000), 'audio/wav'],
	['MP3', mp3, 'audio/mpeg'],
	['bytes that are letters by chance', Buffer.from('ID3'), 'audio/mpeg'],
	[
		'what is not read here',
		Buffer.from([0x23, 0x21, 0x41, 0x4d, 0x52, 0x0a, 0x3c, 0x91]),
		'audio/amr',
	],
])('%s is sent', async (_, bytes, type) => {
	const { outputs } = await clone(bytes, type);
	expect(outputs[0]).toHaveLength(1);
});
