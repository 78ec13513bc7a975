/** `01:02:03.004`. Hours grow beyond two digits. */
export function timestamp(milliseconds: number): string {
	const hours = String(Math.floor(milliseconds / 3_600_000)).padStart(2, '0');
	return `${hours}:${new Date(milliseconds).toISOString().slice(14, 23)}`;
}
