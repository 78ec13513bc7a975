/* A made-up user does what the messages say, and nothing else: nobody pays twice, and nobody loses a file. */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Fault } from '../../support/simulator';
import {
	type EngineResult,
	type EngineRun,
	item,
	jobNode,
	retrierOf,
	runnerOf,
	speechNode,
	useSimulator,
} from '../support';

const sim = useSimulator({ latencyMs: 1, jobSeconds: 0 });
beforeEach(() => void Object.assign(sim.options, { jobSeconds: 0 }));

const run = runnerOf(sim);
const retry = retrierOf(run);

const ROWS = ['One went out.', 'Two came in.', 'Three stayed.', 'Four left.', 'Five slept.'];
const rows = (...texts: string[]) => texts.map((text) => item({ text }));

let users = 0;

/** What the user has at the end: rows with their file, and rows of which a look at the usage log told that they are paid for. */
class User {
	readonly files: string[] = [];
	readonly known: string[] = [];
	private key = `first ${++users}`;
	private step = 0;

	constructor(private setUp: Partial<EngineRun>) {}

	/** Runs the workflow, and goes on until no message asks for anything. */
	async works(): Promise<void> {
		await this.reads(await run(this.asSetUp()));
	}

	private asSetUp(more: Partial<EngineRun> = {}): Partial<EngineRun> {
		const { parameters, ...rest } = { ...this.setUp, ...more };
		const options = { ...(parameters!.options as IDataObject) };
		if (options.sendOnceKey) options.sendOnceKey = `={{ "${this.key} " + $json.text }}`;
		return { ...rest, nodeId: 'advised', parameters: { ...parameters, options } };
	}

	private async reads(result: EngineResult): Promise<void> {
		if (++this.step > 6) throw new Error('The messages lead nowhere');
		if (result.error) await this.doesWhatTheErrorSays(result);
		const { outputs, left } = result;
		this.files.push(...(left[0] ?? []).filter(({ binary }) => binary?.data).map(textOf));
		const rows = left.flat().map(textOf);
		for (const [index, { json }] of outputs.flat().entries())
			if (json.outcome === 'unknown') await this.looksUp(String(json.advice), rows[index]);
	}

	private async doesWhatTheErrorSays(result: EngineResult): Promise<void> {
		const said = `${result.error!.message} ${result.error!.description}`;
		sim.clearFaults(); // topped up, mended, up again
		sim.finish();
		if (/\bretry (this|continues)/i.test(said)) {
			if (said.includes('Connect "Unknown"')) this.setUp = { ...this.setUp, behind: undefined };
			return await this.reads(await retry(result, this.asSetUp()));
		}
		if (said.includes('"Continue (using error output)"')) {
			this.setUp = { ...this.setUp, onError: 'continueErrorOutput' };
			return await this.reads(await run(this.asSetUp()));
		}
		throw new Error(`What now? ${said}`);
	}

	/** Sends an item again only as its advice says, and only if it was not charged. */
	private async looksUp(advice: string, text: string): Promise<void> {
		expect(advice).toContain('Look up whether it was charged');
		if (sim.charged().includes(text)) return void this.known.push(text);
		expect(advice).toContain('send this item again in a new execution');
		if (advice.includes('with another "Send Once Key"')) this.key = `second ${++users}`;
		await this.reads(await run(this.asSetUp({ items: rows(text) })));
	}
}

const textOf = ({ json }: INodeExecutionData) => String(json.text);

const keyed = { sendOnceKey: 'yes' };
const inTurn = { concurrency: 1 };
const at = (text: string, fault: Fault): Fault => ({ method: 'POST', input: text, ...fault });
const LOST = { status: 504, charge: true };
const NOT_BEGUN = { status: 504, charge: false };

test.each<[string, string[], Fault[], IDataObject, Partial<EngineRun>]>([
	['an empty row', ['', ...ROWS], [], {}, {}],
	['an empty row, with keys', [ROWS[0], '', ROWS[1]], [], keyed, {}],
	['no money left', ROWS, [at('Three', { status: 402 })], inTurn, {}],
	['no money left, with keys', ROWS, [at('Three', { status: 402 })], keyed, {}],
	['a row that is refused', ROWS, [at('Two', { status: 422 })], inTurn, {}],
	['an answer that is lost', ROWS, [at('Two', LOST)], {}, {}],
	['an answer that is lost, with keys', ROWS, [at('Two', LOST)], keyed, {}],
	['a request that was not begun', ROWS, [at('Two', NOT_BEGUN)], {}, {}],
	['a request that was not begun, with keys', ROWS, [at('Two', NOT_BEGUN)], keyed, {}],
	['nothing on Unknown', ROWS.slice(0, 1), [at('One', LOST)], {}, { behind: ['runs'] }],
	['nothing on Unknown, with keys', ['A.'], [at('A', NOT_BEGUN)], keyed, { behind: ['runs'] }],
	[
		'nothing on Unknown and Retry On Fail',
		ROWS.slice(0, 1),
		[at('One', NOT_BEGUN)],
		{},
		{ behind: ['runs'], retryOnFail: true },
	],
	['an outage', ROWS, ROWS.map((text) => at(text, NOT_BEGUN)), inTurn, {}],
	[
		'an outage, with keys',
		ROWS,
		ROWS.map((text) => at(text, NOT_BEGUN)),
		{ ...inTurn, ...keyed },
		{},
	],
])('%s', async (_, texts, faults, options, setUp) => {
	for (const fault of faults) sim.fault(fault);
	const user = new User({ ...setUp, parameters: speechNode(options), items: rows(...texts) });
	await user.works();
	const wanted = texts.filter(Boolean).sort();
	expect(sim.charged().sort()).toEqual(wanted);
	expect([...user.files, ...user.known].sort()).toEqual(wanted);
});

test('a job that takes too long', async () => {
	Object.assign(sim.options, { jobSeconds: 60 });
	const user = new User({ parameters: jobNode({ maxWait: 5 }), items: rows(...ROWS) });
	await user.works();
	expect(sim.charged().sort()).toEqual([...ROWS].sort());
	expect(user.files.sort()).toEqual([...ROWS].sort());
});

test('no message sends anybody to "Continue", and no words for people have underscores', async () => {
	sim.fault(at('Two', LOST));
	sim.fault(at('Three', { connection: 'stall' }));
	const parameters = speechNode({ timeout: 2 });
	const items = rows('', ...ROWS);
	const { outputs, hints } = await run({ parameters, items, onError: 'continueErrorOutput' });
	const stopped = await run({ parameters, items });
	const unheard = await run({
		parameters,
		items: rows(ROWS[2]),
		behind: [],
		started: () => sim.fault(at('Three', LOST)),
	});
	const said = [
		...outputs.flat().flatMap(({ json }) => [json.message, json.advice]),
		...outputs.flat().flatMap(({ json }) => {
			const { message, description } = (json.error ?? {}) as IDataObject;
			return [message, description];
		}),
		...[stopped, unheard].flatMap(({ error }) => [error?.message, error?.description]),
		...hints,
	].filter((text) => typeof text === 'string');
	expect(said.length).toBeGreaterThan(8);
	for (const text of said) {
		expect(text).not.toMatch(/[a-z]_[a-z]/);
		expect(text).not.toMatch(/"Continue"/);
	}
});
