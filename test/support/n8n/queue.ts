/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- test code runs outside n8n */
import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startProgram } from '../program';
import { freePort, startN8n, type N8n, type N8nOptions } from './server';
import { run } from './steps';

const LOOK_AGAIN_MS = 50;
/** Where Debian keeps initdb and postgres, which are not on the PATH; a folder per major version. */
const POSTGRES_FOLDERS = '/usr/lib/postgresql';

export interface QueueMode {
	/** The main process, with editor, webhooks and the REST interface. */
	main: N8n;
	/** Takes the calls of webhooks in place of the main process. */
	webhooks: N8n;
	/** They run the executions, manual ones included. */
	workers: N8n[];
	/** Runs a statement in n8n's database. */
	sql(statement: string): Promise<string>;
	/** Stops n8n's database, starts it again after so many ms, and waits until every process has found it. */
	databaseAway(milliseconds: number): Promise<void>;
	stop(): Promise<void>;
}

/** Starts n8n as bigger installations run it: PostgreSQL, Redis, a main process, one for webhooks, and workers, all on loopback. */
export async function startQueueMode({
	workers: count = 1,
	...options
}: Omit<N8nOptions, 'command'> & { workers?: number } = {}): Promise<QueueMode> {
	const folder = await mkdtemp(path.join(tmpdir(), 'speech-gateway-queue-'));
	const cleanUps = [async () => await rm(folder, { recursive: true, force: true })];
	const stop = async () => {
		for (const end of cleanUps.splice(0).reverse()) await end();
	};
	let started = false;
	try {
		const redisPort = await freePort();
		const redisServer = await startProgram(
			'redis-server',
			['--port', String(redisPort), '--bind', '127.0.0.1', '--save', '', '--dir', folder],
			(output) => output.includes('Ready to accept connections'),
		);
		cleanUps.push(redisServer.stop);
		const postgresPort = await freePort();
		const postgres = await startPostgres(folder, postgresPort);
		cleanUps.push(postgres.stop);
		const env = {
			EXECUTIONS_MODE: 'queue',
			OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: String(redisPort),
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: String(postgresPort),
			DB_POSTGRESDB_USER: 'n8n',
			DB_POSTGRESDB_DATABASE: 'postgres',
			...options.env,
		};
		const main = await startN8n({ ...options, env });
		cleanUps.push(async () => await main.stop());
		const startBeside = async (command: 'webhook' | 'worker', index: number) => {
			// The package is in the folder that they share with the main process.
			const { userFolder } = main;
			// Machines apart have a log each: by a common one, a worker that starts takes what others run for crashed.
			const events = path.join(folder, `events-${index}.log`);
			const beside = await startN8n({
				...options,
				env: { ...env, N8N_EVENTBUS_LOGWRITER_LOGFULLPATH: events },
				tarball: undefined,
				userFolder,
				command,
			});
			cleanUps.push(async () => await beside.stop());
			return beside;
		};
		const commands = ['webhook', ...Array<'worker'>(count).fill('worker')] as const;
		const starting = commands.map(startBeside);
		await Promise.allSettled(starting); // so that all that runs is ended should one of them fail
		const [webhooks, ...workers] = await Promise.all(starting);
		started = true;
		const { sql } = postgres;
		const databaseAway = async (milliseconds: number) => {
			await postgres.away(milliseconds);
			// Each process connects again when it next looks; until then it fails what it is given.
			for (const { url } of [main, webhooks, ...workers])
				while (!(await fetch(`${url}/healthz/readiness`)).ok) await wait(LOOK_AGAIN_MS);
		};
		return { main, webhooks, workers, sql, databaseAway, stop };
	} finally {
		if (!started) await stop();
	}
}

/** A PostgreSQL of its own; as root it runs as the user postgres, because it refuses to run as root. */
async function startPostgres(folder: string, port: number) {
	const isRoot = process.getuid?.() === 0;
	const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
	const user = isRoot ? { uid: id('-u'), gid: id('-g') } : {};
	const versions = (await readdir(POSTGRES_FOLDERS).catch(() => [])).map(Number);
	const program = (name: string) =>
		versions.length > 0
			? path.join(POSTGRES_FOLDERS, String(Math.max(...versions)), 'bin', name)
			: name;

	const data = await mkdtemp(path.join(folder, 'postgres-'));
	await chmod(folder, 0o755);
	if (user.uid !== undefined) await chown(data, user.uid, user.gid);
	execFileSync(
		program('initdb'),
		['-D', data, '-U', 'n8n', '--auth=trust', '--no-sync', '-E', 'UTF8'],
		{
			...user,
			cwd: data,
			stdio: 'pipe',
		},
	);
	const start = async () =>
		await startProgram(
			program('postgres'),
			['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', data, '-F'],
			(output) => output.includes('ready to accept connections'),
			{ ...user, cwd: data },
		);
	let server = await start();
	const stop = async () => await server.stop();
	const away = async (milliseconds: number) => {
		execFileSync(program('pg_ctl'), ['-D', data, '-m', 'fast', '-w', 'stop'], {
			...user,
			cwd: data,
			stdio: 'pipe',
		});
		await server.stop();
		await wait(milliseconds);
		server = await start();
	};
	const sql = async (statement: string) => {
		const at = ['-h', '127.0.0.1', '-p', String(port), '-U', 'n8n', '-d', 'postgres'];
		const { stdout } = await run(program('psql'), [
			...at,
			'-v',
			'ON_ERROR_STOP=1',
			'-Atc',
			statement,
		]);
		return stdout;
	};
	return { stop, sql, away };
}
