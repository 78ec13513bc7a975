/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import path from 'node:path';
import { installN8n } from './install';
import type { N8n } from './server';
import { run } from './steps';

/** Runs a statement in the SQLite database of an n8n, which may be running; returns the rows. */
export async function query<Row extends object>(
	{ userFolder, version }: Pick<N8n, 'userFolder' | 'version'>,
	statement: string,
): Promise<Row[]> {
	const file = path.join(userFolder, '.n8n', 'database.sqlite');
	const script = `
		const { Database } = require('sqlite3');
		const database = new Database(${JSON.stringify(file)});
		database.configure('busyTimeout', 20000);
		database.all(${JSON.stringify(statement)}, (error, rows) => {
			if (error) throw error;
			console.log(JSON.stringify(rows));
			database.close();
		});
	`;
	const { node, folder } = await installN8n(version);
	const cwd = path.join(folder, 'node_modules/n8n');
	return JSON.parse((await run(node, ['-e', script], { cwd })).stdout) as Row[];
}

/** All executions that are parked are due: n8n wakes them up when it starts. */
export async function wakeAll(n8n: Pick<N8n, 'userFolder' | 'version'>): Promise<void> {
	await query(
		n8n,
		"UPDATE execution_entity SET waitTill = '2020-01-01 00:00:00.000' WHERE status = 'waiting'",
	);
}
