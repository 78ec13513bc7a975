import { useVirtualTime } from '../../support/clock';
import { STORY_TIME_MS, tellStories } from './shard';

useVirtualTime();

test(
	'whatever happens, the promises of the contract hold (4 of 4)',
	async () => {
		await tellStories(4);
	},
	STORY_TIME_MS,
);
