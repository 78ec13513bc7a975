import { isRecord } from '../core/json';
import type { IBinaryData } from 'n8n-workflow';
import {
	type AudioInfo,
	canBeJoined,
	DamagedAudioError,
	type ForeignInfo,
	FORMAT_NAMES,
	type KnownFormat,
	type RequestedFormat,
} from '../audio';
import { asError, DamagedResultError, NotStoredError } from '../core/errors';
import { withExtension } from './fileName';
import type { GatewayResponse } from '../gateway/transport';
import type { ItemRequests } from '../requests/itemRequests';
import { chunksIn, type Readable } from '../gateway/readBody';
import { recognise, redacted } from './recognise';
import { fileFrom, KEPT_BYTES, storeBytes } from './store';
import { withHead } from './withHead';

/** An audio file in n8n's binary store, and what was read from its frames. Plain JSON: it is kept in the ledger. */
export interface StoredAudio {
	binary: IBinaryData;
	info: AudioInfo | ForeignInfo;
}

/** Whether a value on record is stored audio. */
export const isStoredAudio = (value: object): value is StoredAudio =>
	'binary' in value && isRecord(value.binary) && 'info' in value && isRecord(value.info);

interface StoreOptions {
	maxBytes: number;
	/** For paid audio: what came of it is stored all the same, and goes along with the error. */
	keepDamaged?: boolean;
	/** The rate that was asked for, for bare samples whose type names none; samples a second. */
	askedRate?: number;
}

/**
 * Streams the body of an answer into n8n's binary store and inspects it on the way, so that a long file costs no
 * memory. The type follows the content: if the gateway returns MP3 when WAV was requested, the file is labelled MP3.
 * Throws when it is cut short, larger than `maxBytes`, or no audio, and NotStoredError when n8n cannot store it.
 */
export async function storeAudio(
	item: ItemRequests,
	response: GatewayResponse,
	wanted: RequestedFormat,
	fileName: string,
	{ maxBytes, keepDamaged = false, askedRate }: StoreOptions,
): Promise<StoredAudio> {
	const { nodeCall, transport, hints } = item.session;
	const redact = (text: string) => transport.redactor.text(text);
	const chunks = withHead(chunksIn(response.body));
	try {
		const { value: head, done: isEmpty } = await chunks.next().catch(brokenOff);
		if (isEmpty) throw new DamagedAudioError('the file is empty', true);
		const type = response.headers['content-type'];
		const { mimeType, extensions, isAudio, inspector } = recognise(
			head,
			wanted,
			type,
			redact,
			askedRate,
		);
		const answer = new InspectedAnswer(chunks, inspector, maxBytes, keepDamaged);
		const all = answer.from(head);
		const source = isAudio ? all : redacted(all, transport.redactor.stream());
		const name = withExtension(fileName, ...extensions);
		const store = async (data: Buffer | Readable) => await nodeCall.store(data, name, mimeType);
		let stored = await fileFrom(source, response.body).then(store).catch(asError);
		if (stored instanceof Error) {
			if (answer.failure || transport.cancel?.aborted) throw answer.failure ?? stored;
			// A store that failed may have stopped reading, so read the rest here.
			for await (const chunk of all) void chunk;
			if (answer.failure) throw answer.failure;
			if (!answer.held) {
				const lost = new NotStoredError(stored);
				// Audio of a job is fetched again, which is free.
				if (keepDamaged) item.session.store.failed(lost.words);
				throw lost;
			}
			stored = await storeBytes(item.session, Buffer.concat(answer.held), name, mimeType, stored);
		} else item.session.store.stored();
		const { failure, info } = answer;
		if (failure) throw new DamagedResultError(failure.message, { received: stored }, failure);
		if (info && info.format !== wanted) hints.add(otherFormatHint(wanted, info.format));
		return { binary: stored, info: info! };
	} finally {
		// Not awaited: where the store failed, the next chunk may still be under way.
		void chunks.return(undefined).catch(() => undefined);
	}
}

/** What it means that another format has come than was asked for. */
const otherFormatHint = (wanted: RequestedFormat, came: KnownFormat): string =>
	`You asked for ${FORMAT_NAMES[wanted]}, the service sent ${FORMAT_NAMES[came]}. ${
		canBeJoined(came)
			? 'The file is named as what it is.'
			: 'It is passed on unchanged: its length is unknown, so it has no subtitles, and it cannot be joined with other audio.'
	}`;

/** The connection broke before a single byte, as where a home server does not know a voice or a speed. */
function brokenOff(error: unknown): never {
	throw new DamagedAudioError(
		`check the voice and the speed, which the service may not know: the connection broke before any audio came (${asError(error).message})`,
		true,
	);
}

/** The body of an answer on its way into the store: inspected as it passes, and held as long as it is small. */
class InspectedAnswer {
	/** What its frames say; undefined until all of it has passed, and if it is damaged. */
	info?: StoredAudio['info'];
	/** Why it is damaged. */
	failure?: Error;
	/** All of it so far, to be stored again if n8n fails; undefined once it is too large to be held. */
	held: Uint8Array[] | undefined = [];
	private bytes = 0;

	constructor(
		private readonly chunks: AsyncIterator<Uint8Array>,
		private readonly inspector: ReturnType<typeof recognise>['inspector'],
		private readonly maxBytes: number,
		private readonly keepDamaged: boolean,
	) {}

	/** All chunks; throws if they are damaged. With `keepDamaged` they end there instead, so that n8n stores what has come. */
	async *from(head: Uint8Array): AsyncGenerator<Uint8Array> {
		try {
			for (let chunk: Uint8Array | undefined = head; chunk; chunk = await this.next()) {
				this.inspect(chunk);
				if (this.failure && !this.keepDamaged) break;
				yield chunk;
			}
			this.info = this.failure ? undefined : this.inspector.end();
		} catch (error) {
			this.failure ??= asError(error);
		}
		if (this.failure && !this.keepDamaged) throw this.failure;
	}

	private async next(): Promise<Uint8Array | undefined> {
		const { value, done } = await this.chunks.next();
		if (done) return undefined;
		if (this.bytes + value.length <= this.maxBytes) return value;
		throw new DamagedAudioError(
			`the answer is larger than ${Math.round(this.maxBytes / 2 ** 20)} MB, more than this text can be as speech`,
		);
	}

	/** A chunk that cannot be read is noted, and passes: whether it is kept is decided when it has. */
	private inspect(chunk: Uint8Array): void {
		this.bytes += chunk.length;
		if (this.bytes > KEPT_BYTES) this.held = undefined;
		this.held?.push(chunk);
		try {
			if (!this.failure) this.inspector.feed(chunk);
		} catch (error) {
			this.failure = asError(error);
		}
	}
}
