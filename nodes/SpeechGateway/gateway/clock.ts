/** Dates of answers are in whole seconds: half of one is added. */
const HALF_A_SECOND_MS = 500;

/**
 * By how much the gateway's clock is ahead of ours, ms, by the date of an answer that left at `at`, ms since 1970. Undefined
 * without a date, or when a cache has kept the answer.
 */
export function clockAheadMs(
	headers: Record<string, string | undefined>,
	at: number,
): number | undefined {
	const date = Date.parse(headers.date ?? '');
	if (Number.isNaN(date) || Number(headers.age ?? 0) > 0) return undefined;
	return date + HALF_A_SECOND_MS - at;
}
