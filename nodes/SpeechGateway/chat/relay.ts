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

/** The relay of one item. */
export function relayToClient({ session: { execution }, index }: ItemRequests): Relay {
	let begun = false;
	return {
		async text(text) {
			if (!begun) await execution.stream('begin', index);
			begun = true;
			await execution.stream('item', index, text);
		},
		async end() {
			if (begun) await execution.stream('end', index);
		},
		async fail(message) {
			if (begun) await execution.stream('error', index, message);
		},
	};
}
