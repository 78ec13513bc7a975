/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import { N8nClient } from './client';
import { CURRENT, isAtLeast, type N8nVersion } from './install';
import { readLog } from './server';

/** The n8n version under test: N8N_VERSION, or the current one. */
export const N8N_VERSION = (process.env.N8N_VERSION ?? CURRENT) as N8nVersion;

/** Whether the n8n under test has got as far as a version. */
export const n8nIsAtLeast = (least: `${number}.${number}`): boolean =>
	isAtLeast(N8N_VERSION, least);

/** How many n8n jest's workers share, which scripts/test.ts says. */
export const N8N_INSTANCES = Number(process.env.N8N_INSTANCES ?? 1);

/** What setup.ts hands to the test files, which run in other processes. */
export interface SharedN8n {
	version: N8nVersion;
	url: string;
	session: N8nClient['session'];
	userFolder: string;
	/** Of the package under test: for tests that start an n8n of their own. */
	tarball: string;
	pid: number;
}

/**
 * The n8n that all test files of the project `n8n` share, with the package installed; where several run at once, the one
 * of this worker of jest.
 * Tests are isolated by workflow; one that must stop or kill n8n starts its own with `tarball`.
 */
export function sharedN8n(): SharedN8n & { api: N8nClient; log(): string } {
	const all = JSON.parse(process.env.SHARED_N8N!) as SharedN8n[];
	// jest counts its workers from 1.
	const shared = all[(Number(process.env.JEST_WORKER_ID) - 1) % all.length];
	const api = new N8nClient(shared.url, shared.session);
	return { ...shared, api, log: () => readLog(shared.userFolder) };
}
