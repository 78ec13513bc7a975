import { MAX_PAUSE_MILLISECONDS } from '../core/limits';
import { numberOption } from './kinds';

/** Silence somewhere in a file, in milliseconds. */
export const pauseOption = (shown: { displayName: string; name: string; description: string }) =>
	numberOption({
		...shown,
		hint: 'Milliseconds',
		min: 0,
		max: MAX_PAUSE_MILLISECONDS,
		default: 0,
	});
