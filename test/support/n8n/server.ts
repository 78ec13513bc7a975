/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- test code runs outside n8n */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { N8nClient } from './client';
import { copyFirstStart } from './firstStart';
import { installN8n, isAtLeast, REPOSITORY, type N8nVersion } from './install';
import { unpackInto } from './package';
import { onExit } from './steps';

/** n8n is ready in 8 s; a busy machine needs many times that. */
const START_LIMIT_MS = 480_000;
/** After SIGTERM n8n waits for running executions as long as its own limit (below) says. */
const GRACEFUL_SHUTDOWN_S = 5;
const STOP_LIMIT_MS = 20_000;
const PRELOADED = ['guard.cjs', 'hosts.cjs'].map((name) => path.join(__dirname, name));
const ENCRYPTION_KEY = 'test-encryption-key';

export interface N8nOptions {
	version?: N8nVersion;
	/** Path of a tarball made by `npm pack` (see packPackage). Without it n8n has its own nodes only. */
	tarball?: string;
	/** More environment variables for n8n; undefined takes one of the defaults away. */
	env?: Record<string, string | undefined>;
	/** An existing or new folder; by default a new one in .cache/run, removed by stop(). */
	userFolder?: string;
	/** Where n8n keeps binary data; by default what the version does by default. */
	binaryMode?: 'default' | 'filesystem' | 'database';
	/** Whether n8n serves its editor, with the types and icons of nodes; without, it starts in two thirds of the time. */
	editor?: boolean;
	/** `worker` starts a queue-mode worker, which has no editor. */
	command?: 'start' | 'worker' | 'webhook';
	/** Is given what n8n prints, as it comes. */
	onOutput?: (text: string) => void;
}

/** A running n8n. */
export interface N8n {
	readonly version: N8nVersion;
	readonly url: string;
	readonly userFolder: string;
	/** Logged in as the owner (main processes only). */
	readonly api: N8nClient;
	readonly pid: number;
	/** All that n8n printed, over all its starts (the file n8n.log in its user folder). */
	log(): string;
	/** Ends n8n gracefully and removes the user folder, unless it was given. */
	stop(): Promise<void>;
	/** Ends n8n at once, as a crash or power cut would; the user folder stays. */
	kill(): Promise<void>;
	/** Ends n8n gracefully, if it runs, and starts it again with the same folder and port. */
	restart(): Promise<void>;
}

/** Ports for programs: below those that Linux gives to connections (32768 and up), of which tests make thousands. */
const PORTS = { first: 10_000, count: 22_720 };
/** Processes that look for ports at once have some each, as far as their ids differ. */
const SHARES = 64;

/** What this process has given out: until a program listens, its port looks free. */
const given = new Set<number>();

/**
 * A TCP port on loopback that was free a moment ago, for a program that takes seconds until it listens, and that may be
 * started again. Nobody is given it twice.
 */
export async function freePort(): Promise<number> {
	for (;;) {
		const drawn = SHARES * randomInt(PORTS.count / SHARES) + (process.pid % SHARES);
		const port = PORTS.first + drawn;
		if (given.has(port) || !(await isFree(port))) continue;
		given.add(port);
		return port;
	}
}

async function isFree(port: number): Promise<boolean> {
	const server = createServer().listen(port, '127.0.0.1');
	try {
		await once(server, 'listening');
	} catch {
		return false;
	}
	server.close();
	await once(server, 'close');
	return true;
}

/** Starts a real n8n on loopback, in a folder of its own, with nothing that calls out, and waits until it is ready. */
export async function startN8n(options: N8nOptions = {}): Promise<N8n> {
	const version = options.version ?? '2.41';
	const installed = await installN8n(version);
	const userFolder = options.userFolder ?? (await newUserFolder());
	await mkdir(userFolder, { recursive: true });
	const isNew = options.userFolder === undefined && options.env?.DB_TYPE === undefined;
	if (isNew)
		await copyFirstStart(installed, ENCRYPTION_KEY, userFolder, async () => {
			return await startN8n({ version, userFolder: await newUserFolder() });
		});
	if (options.tarball) await unpackInto(userFolder, options.tarball);

	const port = await freePort();
	const url = `http://127.0.0.1:${port}`;
	const command = options.command ?? 'start';
	const env: Record<string, string | undefined> = {
		// A clean environment: nothing of the machine's settings decides how a test goes.
		PATH: `${path.dirname(installed.node)}:${process.env.PATH}`,
		HOME: userFolder,
		TZ: 'UTC',
		GENERIC_TIMEZONE: 'UTC',
		NODE_ENV: 'production',
		// A fifth of what a start costs is the compiling of n8n's modules.
		NODE_COMPILE_CACHE: path.join(installed.folder, 'compile-cache'),
		N8N_USER_FOLDER: userFolder,
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_HOST: '127.0.0.1',
		N8N_PORT: String(port),
		// A worker serves nothing but whether it is ready.
		QUEUE_HEALTH_CHECK_ACTIVE: 'true',
		QUEUE_HEALTH_CHECK_PORT: String(port),
		N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
		N8N_SECURE_COOKIE: 'false',
		N8N_DISABLE_UI: options.editor ? undefined : 'true',
		GUARD_PARENT_PID: String(process.pid),
		GUARD_HIDDEN_MODULES: path.join(REPOSITORY, 'node_modules'),
		// 3.0 loads no other package than n8n's and verified ones unless it is told to.
		N8N_UNVERIFIED_PACKAGES_ENABLED: isAtLeast(version, '3.0') ? 'true' : undefined,
		N8N_RUNNERS_BROKER_PORT: String(await freePort()),
		N8N_ENCRYPTION_KEY: ENCRYPTION_KEY,
		N8N_GRACEFUL_SHUTDOWN_TIMEOUT: String(GRACEFUL_SHUTDOWN_S),
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_ONBOARDING_FLOW_DISABLED: 'true',
		N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
		N8N_DEFAULT_BINARY_DATA_MODE: options.binaryMode,
		...options.env,
	};

	const logFile = path.join(userFolder, 'n8n.log');
	let child: ChildProcess;
	let finalLog: string | undefined;

	const start = async () => {
		// A process group of its own, so that kill() also ends n8n's task runner; guard.cjs ends it with this process.
		child = spawn(
			installed.node,
			[...PRELOADED.flatMap((file) => ['--require', file]), installed.command, command],
			{ cwd: userFolder, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] },
		);
		let output = '';
		let ready = false;
		const started = child;
		appendFileSync(logFile, '');
		await new Promise<void>((resolve, reject) => {
			const fail = (what: string) => {
				clearTimeout(limit);
				reject(new Error(`n8n ${version} ${what}:\n${output.slice(-4000)}`));
			};
			const limit = setTimeout(() => {
				killGroup(started);
				fail(`was not ready after ${START_LIMIT_MS / 1000} s`);
			}, START_LIMIT_MS);
			const listen = (chunk: Buffer) => {
				appendFileSync(logFile, chunk);
				options.onOutput?.(chunk.toString());
				if (ready) return;
				output += chunk.toString();
				ready = /Editor is now accessible|worker is now ready|Webhook listener waiting/.test(
					output,
				);
				if (!ready) return;
				clearTimeout(limit);
				resolve();
			};
			started.stdout!.on('data', listen);
			started.stderr!.on('data', listen);
			started.on('error', (error) => fail(`did not start (${error.message})`));
			started.on('exit', (code, signal) => fail(`ended while starting (${code ?? signal})`));
		});
	};

	const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
		if (child.exitCode !== null || child.signalCode !== null) return;
		const exited = once(child, 'exit');
		const closed = once(child, 'close');
		if (signal === 'SIGTERM') child.kill('SIGTERM');
		else killGroup(child);
		const limit = setTimeout(() => killGroup(child), STOP_LIMIT_MS);
		await exited;
		clearTimeout(limit);
		killGroup(child); // what n8n started itself
		await closed;
	};

	const isOwnFolder = options.userFolder === undefined;
	// Where this process ends by process.exit(); guard.cjs is for all other ends, and needs n8n to be awake.
	const ended = onExit(() => {
		if (isRunning(child.pid!)) killGroup(child);
		if (isOwnFolder) rmSync(userFolder, { recursive: true, force: true, maxRetries: 3 });
	});
	const stop = async () => {
		await end('SIGTERM');
		ended();
		finalLog = readLog(userFolder);
		if (isOwnFolder) await rm(userFolder, { recursive: true, force: true, maxRetries: 3 });
	};

	await start().catch(async (error) => {
		await stop();
		throw error;
	});
	const api = new N8nClient(url);
	if (command === 'start') await api.logIn();

	return {
		version,
		url,
		userFolder,
		api,
		get pid() {
			return child.pid!;
		},
		log: () => finalLog ?? readLog(userFolder),
		stop,
		async kill() {
			await end('SIGKILL');
			// All that n8n does with this file is to wait ten seconds before it starts again.
			await rm(path.join(userFolder, '.n8n/crash.journal'), { force: true });
		},
		async restart() {
			await end('SIGTERM');
			await start();
		},
	};
}

/**
 * A new folder, named after this process; what processes that crashed left there is removed. Outside of the repository:
 * below it, the installed package would find the repository's `node_modules` before n8n's own.
 */
async function newUserFolder(): Promise<string> {
	const parent = path.join(tmpdir(), 'n8n-nodes-speech-gateway-tests');
	await mkdir(parent, { recursive: true });
	for (const name of await readdir(parent)) {
		const owner = Number(/^n8n-(\d+)-/.exec(name)?.[1]);
		if (owner && !isRunning(owner))
			// Several processes may be clearing up at once.
			await rm(path.join(parent, name), { recursive: true, force: true }).catch(() => undefined);
	}
	return await mkdtemp(path.join(parent, `n8n-${process.pid}-`));
}

/** Whether a process runs (signal 0 only asks). */
function isRunning(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}

/** All that the n8n with this user folder has printed. */
export const readLog = (userFolder: string): string =>
	readFileSync(path.join(userFolder, 'n8n.log'), 'utf8');

/** Ends a child's whole process group; it may be gone already. */
function killGroup(child: ChildProcess) {
	try {
		process.kill(-child.pid!, 'SIGKILL');
	} catch {
		// nothing left of it
	}
}
