/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import { packedPackage } from './package';
import { startN8n, type N8n } from './server';
import { N8N_INSTANCES, N8N_VERSION, type SharedN8n } from './shared';

/** jest's globalSetup: packs the package and starts what test files share, with it. */
export default async function setup(): Promise<void> {
	const tarball = await packedPackage();
	const start = async () => await startN8n({ version: N8N_VERSION, tarball, editor: true });
	const all = await Promise.all(Array.from({ length: N8N_INSTANCES }, start));
	const shared = all.map(({ version, url, userFolder, pid, api: { session } }): SharedN8n => {
		return { version, url, session, userFolder, tarball, pid };
	});
	process.env.SHARED_N8N = JSON.stringify(shared);
	running.n8n = all;
}

/** globalTeardown runs in the same process, and finds them here. */
export const running = globalThis as { n8n?: N8n[] };
