import { useVirtualTime } from '../../support/clock';
import { STORY_TIME_MS, tellStories } from './shard';

useVirtualTime();

test(
	'whatever happens, the promises of the contract hold (1 of 4)',
	async () => {
		await tellStories(1);
	},
	STORY_TIME_MS,
);
