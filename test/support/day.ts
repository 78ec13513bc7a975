/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */

/** Seed of the tests that try something else each day: days since 1970. `TEST_DAY` repeats the tests of a day. */
export const TEST_DAY = Number(process.env.TEST_DAY ?? Math.floor(Date.now() / 86_400_000));
