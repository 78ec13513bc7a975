import type { ItemRequests } from '../requests/itemRequests';

/** Passes the answer of an item on to the client of a workflow that streams. */
export function relayToClient({ session: { execution }, index }: ItemRequests) {
	let begun = false;
	return {
		async text(text: string): Promise<void> {
			if (!begun) await execution.stream('begin', index);
			begun = true;
			await execution.stream('item', index, text);
		},
		/** The answer is whole. */
		async end(): Promise<void> {
			if (begun) await execution.stream('end', index);
		},
		/** The answer broke off. */
		async fail(message: string): Promise<void> {
			if (begun) await execution.stream('error', index, message);
		},
	};
}
