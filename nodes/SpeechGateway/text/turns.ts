/** A script as a list of turns, as programs and models with an output format give it: `[{ "speaker": "Anna", "text": "Hi." }]`. */
import { isRecord, parseJson } from '../core/json';
import { writtenName } from './names';

interface Turn {
	name: string;
	words: string;
}

const scalarText = (value: unknown): string | undefined =>
	typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

function turnOf(row: unknown): Turn | undefined {
	if (!isRecord(row)) return undefined;
	const name = scalarText(row.speaker ?? row.name ?? row.role)?.trim();
	const words = scalarText(row.text ?? row.line ?? row.content);
	return name && words !== undefined ? { name, words } : undefined;
}

/** The turns of a list, or of the only list that an object has; undefined: it is no such list. */
export function turnsOf(value: unknown): Turn[] | undefined {
	const lists = isRecord(value) ? Object.values(value).filter((one) => Array.isArray(one)) : [];
	const list: unknown = Array.isArray(value) ? value : lists[lists.length - 1];
	if (!Array.isArray(list) || list.length === 0 || lists.length > 1) return undefined;
	const turns = list.map(turnOf);
	return turns.every((turn) => turn !== undefined) ? turns : undefined;
}

const FENCE_START = /```(?:json)?[ \t]*\r?\n/i;

/** The JSON in the first fence of a text, or the text itself. */
function jsonIn(source: string): string {
	const start = FENCE_START.exec(source);
	if (!start) return source.trim();
	const from = start.index + start[0].length;
	const end = source.indexOf('```', from);
	return source.slice(from, end < 0 ? undefined : end).trim();
}

/** Such a list in JSON as lines `Anna: Hi.`, and the names in it; undefined: the script is a text. */
export function scriptOfTurns(source: string): { script: string; names: string[] } | undefined {
	const json = jsonIn(source);
	const turns = turnsOf(/^[[{]/.test(json) ? parseJson(json) : undefined)?.filter(
		({ words }) => words.trim() !== '',
	);
	return (
		turns && {
			script: turns.map(({ name, words }) => `${writtenName(name)}: ${words.trim()}`).join('\n'),
			names: turns.map(({ name }) => writtenName(name)),
		}
	);
}
