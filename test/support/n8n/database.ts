/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import path from 'node:path';
import { installN8n } from './install';
import type { N8n } from './server';
import { run } from './steps';

const ALL_ARE_DUE =
	"UPDATE execution_entity SET waitTill = '2020-01-01 00:00:00.000' WHERE status = 'waiting'";

/** Makes all parked executions due in the SQLite database of an n8n: n8n wakes them up when it starts. */
export async function wakeAll({
	userFolder,
	version,
}: Pick<N8n, 'userFolder' | 'version'>): Promise<void> {
	const file = path.join(userFolder, '.n8n', 'database.sqlite');
	const script = `
		const { Database } = require('sqlite3');
		const database = new Database(${JSON.stringify(file)});
		database.configure('busyTimeout', 20000);
		database.run(${JSON.stringify(ALL_ARE_DUE)}, (error) => {
			if (error) throw error;
			database.close();
		});
	`;
	const { node, folder } = await installN8n(version);
	await run(node, ['-e', script], { cwd: path.join(folder, 'node_modules/n8n') });
}
