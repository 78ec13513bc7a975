import type { ChunkType } from 'n8n-workflow';
import type { ItemRequests } from '../requests/itemRequests';
import type { TextListener } from './completeChat';

/** Passes an answer on to the client of a workflow that streams. */
export interface Relay {
	text: TextListener;
	/** The answer is whole. */
	end(): Promise<void>;
	/** The answer broke off. */
	fail(message: string): Promise<void>;
}

/** The relay of one item. A client that has gone away does not cost the answer. */
export function relayToClient({ session: { context }, index }: ItemRequests): Relay {
	let begun = false;
	const send = async (type: ChunkType, content?: string) => {
		// On n8n it is a promise, whatever its type says.
		const sent = new Promise((resolve) => resolve(context.sendChunk?.(type, index, content)));
		await sent.catch(() => undefined);
	};
	return {
		async text(text) {
			if (!begun) await send('begin');
			begun = true;
			await send('item', text);
		},
		async end() {
			if (begun) await send('end');
		},
		async fail(message) {
			if (begun) await send('error', message);
		},
	};
}
