/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { OWNER } from './client';
import { stampOf, type InstalledN8n } from './install';
import type { N8n } from './server';

/** What n8n's first start makes and every later one finds: its settings, and the SQLite database with the owner. */
const MADE = /^(config|database\.sqlite(-wal)?)$/;

/** Several n8n may start at once. */
const beingMade = new Map<string, Promise<void>>();

/**
 * Makes a new user folder that of an n8n which was started once. A third of what a first start costs are the hundreds of
 * migrations of an empty database, the same each time. So n8n makes them once (`start` starts it in an empty folder, without
 * any package), and the result is kept with the installed n8n, for the same owner and the same key.
 */
export async function copyFirstStart(
	installed: InstalledN8n,
	encryptionKey: string,
	userFolder: string,
	start: () => Promise<N8n>,
): Promise<void> {
	const made = [await stampOf(installed), encryptionKey, JSON.stringify(OWNER)].join('\n');
	const hash = createHash('sha256').update(made).digest('hex').slice(0, 16);
	const kept = path.join(installed.folder, `first-start-${hash}`);
	if (!existsSync(kept)) {
		if (!beingMade.has(kept)) beingMade.set(kept, keep(kept, start()));
		await beingMade.get(kept);
	}
	await cp(kept, path.join(userFolder, '.n8n'), { recursive: true });
}

/** Ends a new n8n and keeps what it has made: whole or not at all, as another process may do the same. */
async function keep(kept: string, starting: Promise<N8n>): Promise<void> {
	const { userFolder, stop } = await starting;
	await stop();
	const from = path.join(userFolder, '.n8n');
	const copy = await mkdtemp(`${kept}-`);
	for (const name of await readdir(from))
		if (MADE.test(name)) await cp(path.join(from, name), path.join(copy, name));
	await rm(userFolder, { recursive: true, force: true, maxRetries: 3 });
	await rename(copy, kept).catch(async (error: unknown) => {
		await rm(copy, { recursive: true });
		if (!existsSync(kept)) throw error;
	});
}
