/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Mutant } from './mutate';

export interface Result {
	/** `identify` of the mutant. */
	id: string;
	state: 'killed' | 'survived' | 'not covered';
	/** The test that killed it: `file: name`. */
	by?: string;
	/** It was killed because a test did not end, also not when it was tried again with more time. */
	noEnd?: boolean;
	/** Of the tests that come by, how many were run; survivors only. */
	tried?: number;
	of?: number;
	/** Of the test files that decided: when they change, the mutant is tried again. */
	tests: string;
}

export const hash = (...texts: string[]): string =>
	createHash('sha1').update(texts.join('\0')).digest('base64url').slice(0, 16);

/** Stays the same while the function around the mutant does, wherever it moves in its file. */
export function identify(mutant: Mutant, text: string): string {
	const [start, end] = mutant.around;
	return hash(
		mutant.file,
		text.slice(start, end),
		String(mutant.start - start),
		String(mutant.end - start),
		mutant.replacement,
	);
}

/** Results of this run and of earlier ones, in a file to which each is appended as it comes. */
export class State {
	private readonly results = new Map<string, Result>();

	constructor(private readonly file: string) {
		mkdirSync(path.dirname(file), { recursive: true });
		if (!existsSync(file)) return;
		for (const line of readFileSync(file, 'utf8').split('\n')) {
			// The last line may be cut.
			if (!line.endsWith('}')) continue;
			const result = JSON.parse(line) as Result;
			this.results.set(result.id, result);
		}
	}

	get(id: string): Result | undefined {
		return this.results.get(id);
	}

	add(result: Result): void {
		this.results.set(result.id, result);
		appendFileSync(this.file, `${JSON.stringify(result)}\n`);
	}
}
