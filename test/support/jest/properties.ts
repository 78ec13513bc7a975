/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import fc from 'fast-check';

/** Made-up tests are made up alike in every run, so that a red run tells of a change; another seed finds other cases. */
fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? 1) });
