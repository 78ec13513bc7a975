/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import fc from 'fast-check';
import { realMs, wait } from '../../support/clock';
import { TEST_DAY } from '../../support/day';
import { type Simulator, startSimulator } from '../../support/simulator';

const { MODEL_SEED, MODEL_PATH, MODEL_STORIES } = process.env;

/** Some stories are the same in every run, so that a red run tells of a change; some are new each day. */
export const SEEDS: Array<[string, number]> = MODEL_SEED
	? [['MODEL_SEED', Number(MODEL_SEED)]]
	: [
			['the same stories each time', 20261121],
			['stories of the day', TEST_DAY],
		];
/** Stories told at once: most of their time is waiting. */
const LANES = 16;
/** How long a broken story is made shorter, in ms of real time. */
const SHORTENING_MS = 30_000;
/** Only so that a test that hangs ends, ms. */
export const STORY_TIME_MS = 1_200_000;

/** No story takes as long; virtual time gets here at once when nothing else goes on. */
const HANGS_MS = 7 * 24 * 3_600_000;

/** What the gateway was asked for, a line each. */
export const requestsOf = ({ requests }: Simulator): string =>
	requests
		.map(({ method, path, input = '', status }) => `${method} ${path} "${input}" → ${status}`)
		.join('\n');

async function hangs(sim: Simulator, over: AbortSignal): Promise<never> {
	await wait(HANGS_MS, over);
	throw new Error(`The story does not end; requests seen:\n${requestsOf(sim)}`);
}

export interface Stories<Made, Story> {
	scenario: fc.Arbitrary<Made>;
	/** How many; MODEL_STORIES tells more. */
	stories: number;
	play: (made: Made, sim: Simulator) => Promise<Story>;
	/** What is broken. */
	judge: (story: Story, made: Made) => Iterable<string>;
	show: (story: Story) => string;
}

/**
 * Fails with the smallest broken story that was found, and how to tell just that one again: `MODEL_SEED` and `MODEL_PATH`.
 */
export async function tellStories<Made, Story>(
	seed: number,
	{ scenario, stories, play, judge, show }: Stories<Made, Story>,
): Promise<void> {
	let shortenUntil = Infinity;
	const property = fc.asyncProperty(scenario, async (made) => {
		if (realMs() > shortenUntil) return;
		const sim = await startSimulator({
			latencyMs: 1,
			jobSeconds: 0,
			wavHeader: 'plain',
			secondsPerCharacter: 0.004,
		});
		const over = new AbortController();
		let whole = false;
		try {
			const story = await Promise.race([play(made, sim), hangs(sim, over.signal)]);
			const broken = [...judge(story, made)];
			if (broken.length > 0) throw new Error(`${broken.join('\n')}\n\n${show(story)}`);
			whole = true;
		} finally {
			if (!whole) shortenUntil = Math.min(shortenUntil, realMs() + SHORTENING_MS);
			over.abort();
			await sim.close();
		}
	});
	const numRuns = Math.ceil(Number(MODEL_STORIES ?? stories) / LANES);
	const told = await Promise.all(
		Array.from({ length: MODEL_PATH ? 1 : LANES }, async (_, lane) => {
			const ofLane = MODEL_PATH ? seed : seed * LANES + lane;
			return await fc.check(property, { seed: ofLane, numRuns, path: MODEL_PATH });
		}),
	);
	const broken = told.find(({ failed }) => failed);
	if (!broken) return;
	const { testPath, currentTestName } = expect.getState();
	// With MODEL_SEED, the test has another name behind the colon.
	const test = currentTestName?.replace(/: [^:]*$/, '');
	throw new Error(
		`${String((broken.errorInstance as Error)?.message)}\n\nTo repeat: MODEL_SEED=${broken.seed} MODEL_PATH=${broken.counterexamplePath} npx jest ${testPath} -t '${test}'`,
	);
}
