/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { installN8n } from './install';
import type { N8n } from './server';
import { run } from './steps';

const RUN = `
	const [file, ...statement] = require(process.argv[1]);
	const database = new (require('sqlite3').Database)(file);
	database.configure('busyTimeout', 20000);
	database.run(...statement, (error) => {
		if (error) throw error;
		database.close();
	});`;

type Place = Pick<N8n, 'userFolder' | 'version'>;

/** Runs a statement in the SQLite database of an n8n, with n8n's own driver. */
export async function runSql(
	{ userFolder, version }: Place,
	statement: string,
	values: string[] = [],
): Promise<void> {
	const given = path.join(userFolder, 'statement.json'); // it may be too long for an argument
	const file = path.join(userFolder, '.n8n/database.sqlite');
	await writeFile(given, JSON.stringify([file, statement, values]));
	const { node, folder } = await installN8n(version);
	await run(node, ['-e', RUN, given], { cwd: path.join(folder, 'node_modules/n8n') });
}

const READ = `
	const [file, statement] = require(process.argv[1]);
	const database = new (require('sqlite3').Database)(file);
	database.all(statement, (error, rows) => {
		if (error) throw error;
		console.log(JSON.stringify(rows));
	});`;

/** What a query finds there. */
export async function readSql(
	{ userFolder, version }: Place,
	statement: string,
): Promise<Array<Record<string, unknown>>> {
	const place = path.join(userFolder, 'statement.json');
	await writeFile(
		place,
		JSON.stringify([path.join(userFolder, '.n8n/database.sqlite'), statement]),
	);
	const { node, folder } = await installN8n(version);
	const cwd = path.join(folder, 'node_modules/n8n');
	const { stdout } = await run(node, ['-e', READ, place], { cwd });
	return JSON.parse(stdout) as Array<Record<string, unknown>>;
}
