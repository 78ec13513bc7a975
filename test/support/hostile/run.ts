/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
/**
 * Runs cells of the table in a process of its own, whose memory, timers, sockets and files are those of the nodes and of
 * the hostile gateway alone. `run.ts light|heavy` prints a Report as the last line of its output.
 *
 * There are more cells than a run has time for: of each light one, a day has one mode, and of the heavy ones a third.
 * ALL_CELLS=1 runs all.
 */
import './resolve.cjs';
import { readdirSync } from 'node:fs';
import { setTimeout as realWait } from 'node:timers/promises';
import { Container } from '@n8n/di';
import { BinaryDataConfig } from 'n8n-core';
import type { OnError } from 'n8n-workflow';
import { type EngineResult, runNode } from '../../engine/support';
import { startVirtualTime, wait } from '../clock';
import { TEST_DAY } from '../day';
import { startSimulator } from '../simulator';
import { KEY, MISBEHAVIOURS, type Misbehaviour, spellings } from './misbehaviours';
import { ASKED, type Asked } from './operations';

export type Outcome = 'success' | 'unknown' | 'error' | 'hangs';

export interface Row {
	misbehaviour: string;
	asked: string;
	mode: OnError;
	outcome: Outcome;
	/** What the cell did that no gateway may make the node do; empty when all is well. */
	problems: string[];
}

export interface Report {
	rows: Row[];
	/** What stayed behind after all cells, or went wrong besides; empty when all is well. */
	leftOver: string[];
	/** Growth of the process's memory at its highest, MB; gateway included. */
	megabytes: number;
}

const heavy = process.argv[2] === 'heavy';

const MODES: OnError[] = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'];
/** Of a request; where the gateway pours out all it can, time is real and the machine may be busy. */
const TIMEOUT_S = heavy ? 5 : 2;
/** Two tries of a request, and two of the node; the slowest is a video that comes at no pace, which is given up after a minute. */
const CELL_LIMIT_MS = 5 * 60_000;
/** What closes a little later than the run ends: real ms. */
const SETTLE_MS = 2_500;

const leftOver: string[] = [];
process.on(
	'unhandledRejection',
	(reason) => void leftOver.push(`unhandled rejection: ${String(reason)}`),
);

// Silence costs no time, and a busy machine changes no outcome.
if (!heavy) startVirtualTime();
let timersMade = 0;
const { timeout } = AbortSignal;
AbortSignal.timeout = (milliseconds) => {
	timersMade++;
	return timeout.call(AbortSignal, milliseconds);
};

async function main(): Promise<Report> {
	await warmUp();
	const before = process.memoryUsage().rss;
	let highest = before;
	const watch = setInterval(() => (highest = Math.max(highest, process.memoryUsage().rss)), 20);

	const queue = MISBEHAVIOURS.filter(({ heavy: isHeavy }) => Boolean(isHeavy) === heavy)
		.flatMap((misbehaviour, row) =>
			ASKED.flatMap((asked, column) =>
				(heavy ? MODES.slice(0, 1) : MODES).map((mode, index) => {
					return { misbehaviour, asked, mode, place: row + column + index };
				}),
			),
		)
		.filter(({ place }) => process.env.ALL_CELLS || (place + TEST_DAY) % 3 === 0);
	const rows: Row[] = [];
	const files = new Set<string>();
	const worker = async () => {
		for (let next = queue.shift(); next; next = queue.shift())
			rows.push(await runCell(next.misbehaviour, next.asked, next.mode, files));
	};
	await Promise.all(Array.from({ length: heavy ? 2 : 20 }, worker));
	clearInterval(watch);

	const made = timersMade;
	await realWait(SETTLE_MS);
	if (timersMade > made) leftOver.push(`${timersMade - made} timers made after all runs had ended`);
	for (const resource of process.getActiveResourcesInfo())
		if (!/^(PipeWrap|TTYWrap|SignalWrap|ProcessWrap|FSReqPromise|CloseReq)$/.test(resource))
			leftOver.push(resource);
	leftOver.push(...strayFiles(files));
	return { rows, leftOver, megabytes: Math.round((highest - before) / 1e6) };
}

/** What is loaded once is no growth. */
async function warmUp(): Promise<void> {
	for (const asked of ASKED) {
		const { outcome } = await runCell({ name: 'none' }, asked, 'stopWorkflow', new Set());
		if (outcome !== 'success')
			leftOver.push(`${asked.name} does not even work with a good gateway`);
	}
	for (const name of binaryFiles()) known.add(name);
}

async function runCell(
	misbehaviour: Misbehaviour,
	asked: Asked,
	mode: OnError,
	files: Set<string>,
): Promise<Row> {
	const sim = await startSimulator({ jobSeconds: 0, latencyMs: 0 });
	sim.accounts[0].apiKey = KEY;
	sim.addVoice('Anna');
	const { answer } = misbehaviour;
	if (answer) sim.fault({ ...asked.target, answer, times: Infinity });
	const problems: string[] = [];
	const row: Row = {
		misbehaviour: misbehaviour.name,
		asked: asked.name,
		mode,
		outcome: 'hangs',
		problems,
	};
	let cancel = () => {};
	const running = runNode({
		parameters: {
			...asked.parameters,
			options: { timeout: TIMEOUT_S, maxRetries: 1, ...asked.options },
		},
		items: [{ json: {}, ...(asked.binary && { binary: asked.binary }) }],
		url: sim.url,
		apiKey: KEY,
		onError: mode,
		retryOnFail: true,
		maxTries: 2,
		started: (run) => ({ cancel } = run),
	});
	const limit = new AbortController();
	const tooLong = wait(CELL_LIMIT_MS, limit.signal).catch(() => undefined);
	const ended = await Promise.race([running.catch((error: Error) => error), tooLong]);
	limit.abort();
	if (ended === undefined) {
		problems.push('the run does not end');
		cancel();
		return row;
	}
	if (ended instanceof Error) {
		problems.push(`the run broke: ${ended.message}`);
		return row;
	}
	row.outcome = outcomeOf(ended);
	const texts = textsOf([ended.run, ended.context, ended.hints]);
	for (const text of texts)
		for (const match of text.matchAll(/filesystem-v2:\S+/g)) files.add(match[0]);
	if (leaks(texts)) problems.push('the key is in what the node gives out');
	const isBilled = asked.target.method === 'POST';
	for (const { id } of [...sim.jobs, ...sim.videos])
		if (!isBilled && row.outcome !== 'success' && !texts.some((text) => text.includes(id)))
			problems.push('the id is lost');
	const sent = sim.requests.filter(({ method }) => method === 'POST');
	if (sent.length > 1 && !(misbehaviour.notCharged && isBilled))
		problems.push(`${sent.length} billed requests were sent`);
	if (ended.run.status === 'canceled') problems.push('the execution ended as canceled');
	for (let waited = 0; sim.sockets.size > 0 && waited < SETTLE_MS; waited += 50) await realWait(50);
	if (sim.sockets.size > 0) problems.push(`${sim.sockets.size} sockets stayed open`);
	await sim.close();
	return row;
}

function outcomeOf({ outputs, error }: EngineResult): Outcome {
	if (error) return 'error';
	const items = outputs.flat();
	if (items.some(({ json }) => json.error !== undefined)) return 'error';
	return items.some(({ json }) => json.outcome === 'unknown') ? 'unknown' : 'success';
}

/** All texts within a value, names of fields included. */
function textsOf(value: unknown, seen = new Set<object>()): string[] {
	if (typeof value === 'string') return [value];
	if (typeof value !== 'object' || value === null || seen.has(value)) return [];
	seen.add(value);
	const own = value instanceof Error ? [value.message, String(value.stack)] : [];
	return [
		...own,
		...Object.entries(value).flatMap(([name, inner]) => [name, ...textsOf(inner, seen)]),
	];
}

/** Without case, as percent-encoding has none; of base64, what does not depend on what stands around the key. */
const SPELLINGS = spellings(KEY).map((spelling) => spelling.toLowerCase().replace(/=+$/, ''));
const leaks = (texts: string[]) =>
	texts.some((text) => {
		const lower = text.toLowerCase();
		return SPELLINGS.some((spelling) => lower.includes(spelling));
	});

const known = new Set<string>();
const binaryFiles = () => {
	const folder = Container.get(BinaryDataConfig).localStoragePath;
	return (
		readdirSync(folder, { recursive: true, withFileTypes: true }) as Array<{
			name: string;
			isFile(): boolean;
		}>
	)
		.filter((entry) => entry.isFile() && !entry.name.endsWith('.metadata'))
		.map(({ name }) => name);
};

function strayFiles(referenced: Set<string>): string[] {
	const ids = [...referenced].join(' ');
	const stray = binaryFiles().filter((name) => !known.has(name) && !ids.includes(name));
	return stray.length > 0 ? [`${stray.length} files that no item has`] : [];
}

void main().then((report) => {
	process.stdout.write(`\n${JSON.stringify(report)}\n`, () => process.exit(0));
});
