/** Limits and prices that the editor shows, too: n8n loads this file at its start, without the code that uses it. */

/** Longest text of one request or job, by the gateway's document; in Unicode code points, not in UTF-16 units. */
export const MAX_INPUT_CHARACTERS = 10_000;

/** The longest pause: a longer one is nearly always a typing error, and silence takes space like any sound. */
export const MAX_PAUSE_MILLISECONDS = 60_000;

/** Price of one cloned voice, in tokens before the model's multiplier (billing rule 3). */
export const CLONE_TOKENS = 1000;

/** Largest recording to clone, as the gateway's document has it. Read as MiB; the gateway may refuse earlier. */
export const MAX_RECORDING_MB = 20;

/** Shorter recordings are sent, with a hint: the voice may not sound alike. */
export const RECOMMENDED_RECORDING_SECONDS = 30;
