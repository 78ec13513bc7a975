/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import fc from 'fast-check';
import { realMs } from '../../support/clock';
import type { Simulator } from '../../support/simulator';
import { judge, tell } from './judge';
import { breakStore, play } from './play';
import { scenario } from './scenario';

/** Stories of one file, of which there are four; CI tells more of them. */
const STORIES = Number(process.env.MODEL_STORIES ?? 32);
/** Stories told at once: most of their time is waiting. */
const LANES = 32;
/** Another number, another set of stories. */
const SEED = Number(process.env.MODEL_SEED ?? 20261121);
/** Only so that a share that hangs ends: a busy machine takes five minutes, ms. */
export const STORY_TIME_MS = 1_200_000;
/** How long a broken story is made shorter, in ms of real time. */
const SHORTENING_MS = 30_000;

/**
 * Tells one share of the stories. Fails with the smallest broken one that was found, and how to tell just that one again:
 * `MODEL_SEED` and `MODEL_PATH`.
 */
export async function tellStories(share: number): Promise<void> {
	const { MODEL_PATH } = process.env;
	breakStore();
	let shortenUntil = Infinity;
	const property = fc.asyncProperty(scenario, async (made) => {
		if (realMs() > shortenUntil) return;
		const story = await play(made);
		const broken = judge(story);
		if (broken.length === 0) return;
		shortenUntil = Math.min(shortenUntil, realMs() + SHORTENING_MS);
		throw new Error(`${broken.join('\n')}\n\n${tell(story)}`);
	});
	const told = await Promise.all(
		Array.from({ length: MODEL_PATH ? 1 : LANES }, async (_, lane) => {
			const seed = MODEL_PATH ? SEED : SEED + share * LANES + lane;
			const numRuns = Math.ceil(STORIES / LANES);
			return await fc.check(property, { seed, numRuns, path: MODEL_PATH });
		}),
	);
	const broken = told.find(({ failed }) => failed);
	if (!broken) return;
	const { seed, counterexamplePath, errorInstance } = broken;
	throw new Error(
		`${String((errorInstance as Error)?.message)}\n\nTo repeat: MODEL_SEED=${seed} MODEL_PATH=${counterexamplePath} npx jest --selectProjects engine test/engine/model/share1`,
	);
}

/** Stories of a kind of their own. */
export interface FewStories<Made, Story extends { sim: Simulator }> {
	scenario: fc.Arbitrary<Made>;
	/** How many, unless CI asks for more. */
	stories: number;
	/** Of those that CI asks for. */
	share: number;
	play: (made: Made) => Promise<Story>;
	/** What is broken. */
	judge: (story: Story, made: Made) => Iterable<string>;
	show: (story: Story) => string;
}

/** Tells them one after the other. */
export async function tellFew<Made, Story extends { sim: Simulator }>({
	scenario: ofKind,
	stories,
	share,
	...kind
}: FewStories<Made, Story>): Promise<void> {
	const { MODEL_PATH: path, MODEL_STORIES } = process.env;
	const property = fc.asyncProperty(ofKind, async (made) => {
		const story = await kind.play(made);
		try {
			const broken = [...kind.judge(story, made)];
			if (broken.length > 0) throw new Error(`${broken.join('\n')}\n\n${kind.show(story)}`);
		} finally {
			await story.sim.close();
		}
	});
	const numRuns = MODEL_STORIES ? Math.ceil(Number(MODEL_STORIES) * share) : stories;
	await fc.assert(property, { seed: SEED, numRuns, path });
}
