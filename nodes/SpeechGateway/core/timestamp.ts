/** `01:02:03.004`. Hours grow beyond two digits. */
export function timestamp(milliseconds: number): string {
	const hours = String(Math.floor(milliseconds / 3_600_000)).padStart(2, '0');
	return `${hours}:${new Date(milliseconds).toISOString().slice(14, 23)}`;
}

/** The seconds of `1:02.5` or `1:02:03,5`. */
export const clockSeconds = (time: string): number =>
	time.split(':').reduce((sum, part) => sum * 60 + Number(part.replace(',', '.')), 0);
