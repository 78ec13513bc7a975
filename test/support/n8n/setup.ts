/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import { packPackage } from './package';
import { startN8n, type N8n } from './server';
import { N8N_VERSION, type SharedN8n } from './shared';

/** jest's globalSetup: packs the package (unless PACKAGE_TARBALL has it) and starts the shared n8n with it. */
export default async function setup(): Promise<void> {
	const tarball = process.env.PACKAGE_TARBALL ?? (await packPackage());
	const n8n = await startN8n({ version: N8N_VERSION, tarball });
	const { version, url, userFolder, pid, api } = n8n;
	const { session } = api;
	const shared: SharedN8n = { version, url, session, userFolder, tarball, pid };
	process.env.SHARED_N8N = JSON.stringify(shared);
	running.n8n = n8n;
}

/** globalTeardown runs in the same process, and finds the n8n here. */
export const running = globalThis as { n8n?: N8n };
