import { useVirtualTime } from '../../support/clock';
import { STORY_TIME_MS, tellStories } from './shard';

useVirtualTime();

test(
	'whatever happens, the promises of the contract hold (2 of 4)',
	async () => {
		await tellStories(2);
	},
	STORY_TIME_MS,
);
