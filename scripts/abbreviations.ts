/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- runs outside n8n */
/**
 * `npx tsx scripts/abbreviations.ts`: writes the table of abbreviations from CLDR's sentence break suppressions.
 * CLDR speaks of one language at a time; this package does not know a text's language, so that what is an everyday word
 * in any of them is left out (`end.` is Portuguese for an address and ends many an English sentence).
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

interface Segments {
	segments: { segmentations: { SentenceBreak?: { standard?: Array<{ suppression: string }> } } };
}

const TARGET = path.join(__dirname, '../nodes/SpeechGateway/text/abbreviations.ts');

/** Words that end sentences more often than they are abbreviations, in any of the languages. */
const EVERYDAY_WORDS = new Set(
	(
		'AB AD CA Act All all Alt am Ant Best Bien By by CV Cap cam Card cat Chin col com comp cont DC Da Def Di dir Do do dom ' +
		'Em end esp Est ev Ex ex Exc ff Go Hat Hz In Int int Is Jam Job Joe Kit Kl Korn Lat lat Lev Lib Link lin lit Liv Long long ' +
		'mai mar Mart mat may mer Min Mo Mod mov OK Ok On on Or Org org out PC Port port Pro prod RAM Rd Rol SA Sa sam Sol So ' +
		'set som To tab tec Up Var ven ver vie Wg jeu bol pal port fund div gram res rep ill imm fin fot fac fil ago apart append ' +
		'arch ag ap Ben Ber bras cap caps cel col config Conn dest des dim dir doc eng Gem graph Gb Kb Mb led liter Max Mi Mind ' +
		'niv pie Qu quart rag Reg rod Seg synth Temp Test Trans vid voit anc Fri hist Pe Dat As Md sup pol'
	).split(' '),
);

/** The last part of each suppression without its full stop: what stands before the place to judge. */
export function abbreviations(): string[] {
	const folder = path.join(
		path.dirname(createRequire(__filename).resolve('cldr-segments-full/package.json')),
		'segments',
	);
	const found = new Set<string>();
	for (const language of readdirSync(folder)) {
		const file = path.join(folder, language, 'suppressions.json');
		const { segments } = JSON.parse(readFileSync(file, 'utf8')) as Segments;
		for (const { suppression } of segments.segmentations.SentenceBreak?.standard ?? []) {
			const last = /([\p{L}\p{M}]{2,})\.$/u.exec(suppression)?.[1];
			if (last && last !== last.toUpperCase() && !EVERYDAY_WORDS.has(last)) found.add(last);
		}
	}
	return [...found].sort();
}

/** The source text of the table. */
export function abbreviationsModule(): string {
	const lines: string[] = [''];
	for (const word of abbreviations()) {
		if (lines.at(-1)!.length + word.length > 92) lines.push('');
		lines[lines.length - 1] += `${lines.at(-1) === '' ? '' : ' '}${word}`;
	}
	return [
		'/** Abbreviations of CLDR (Unicode-3.0 license), without their full stop. Written by scripts/abbreviations.ts. */',
		'export const CLDR_ABBREVIATIONS =',
		lines.map((line, i) => `\t'${line}${i < lines.length - 1 ? ' ' : ''}'`).join(' +\n') + ';',
		'',
	].join('\n');
}

if (require.main === module) writeFileSync(TARGET, abbreviationsModule());
