import { useVirtualTime } from '../../support/clock';
import { judge, tell } from './judge';
import { breakStore, play } from './play';
import { scenario } from './scenario';
import { SEEDS, STORY_TIME_MS, tellStories } from './tell';

useVirtualTime();

beforeAll(breakStore);

test.each(SEEDS)(
	'whatever happens, the promises of the contract hold: %s',
	async (_, seed) => await tellStories(seed, { scenario, stories: 100, play, judge, show: tell }),
	STORY_TIME_MS,
);
