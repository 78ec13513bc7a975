import { useVirtualTime } from '../../support/clock';
import { STORY_TIME_MS, tellStories } from './shard';

useVirtualTime();

test(
	'whatever happens, the promises of the contract hold (3 of 4)',
	async () => {
		await tellStories(3);
	},
	STORY_TIME_MS,
);
