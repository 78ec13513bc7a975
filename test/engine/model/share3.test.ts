/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import { useVirtualTime } from '../../support/clock';
import { tellStories } from './shard';

useVirtualTime();

/** Until all that it has found is mended. */
const whenAsked = process.env.MODEL ? test : test.skip;

whenAsked('whatever happens, the promises of the contract hold (3 of 4)', async () => {
	await tellStories(3);
});
