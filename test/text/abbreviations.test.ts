import { CLDR_ABBREVIATIONS } from '../../nodes/SpeechGateway/text/abbreviations';
import { abbreviationsModule } from '../../scripts/abbreviations';

test('the table is the one that scripts/abbreviations.ts makes of CLDR', () => {
	const words = (source: string) => source.match(/[\p{L}\p{M}]+/gu);
	const table = abbreviationsModule().split('=')[1];
	expect(words(CLDR_ABBREVIATIONS)).toEqual(words(table));
	expect(words(table)!.length).toBeGreaterThan(300);
});
