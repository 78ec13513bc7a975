/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- test code runs outside n8n */
/** A real nginx on loopback, as it stands in front of many a gateway. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from './n8n/server';

/** Debian has it here, which is not on the PATH of most users. */
const PROGRAM = '/usr/sbin/nginx';
const LOOK_AGAIN_MS = 20;

export interface Nginx {
	url: string;
	/** Resolves once a request has been answered with a status. */
	answered(status: number): Promise<void>;
	stop(): Promise<void>;
}

/** Starts an nginx in front of a server. `directives`: of its one location, after `proxy_pass`. */
export async function startNginx(upstream: string, directives = ''): Promise<Nginx> {
	const port = await freePort();
	const folder = await mkdtemp(path.join(tmpdir(), 'nginx-'));
	const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
	await writeFile(
		path.join(folder, 'nginx.conf'),
		`daemon off;
master_process off;
pid nginx.pid;
error_log stderr crit;
events {}
http {
	log_format status "[$status]";
	access_log access.log status;
	limit_conn_zone $server_port zone=all:1m;
	${temporary.map((name) => `${name}_temp_path ${name};`).join('\n\t')}
	server {
		listen 127.0.0.1:${port};
		location / {
			proxy_pass ${upstream};
			proxy_http_version 1.1;
			${directives}
		}
	}
}
`,
	);
	const child = spawn(PROGRAM, ['-p', folder, '-c', 'nginx.conf'], {
		stdio: ['ignore', 'ignore', 'pipe'],
	});
	let errors = '';
	child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
	let ended: string | undefined;
	child.once('error', () => (ended = 'it is not installed (Debian: nginx-light)'));
	child.once('exit', (code, signal) => (ended ??= String(code ?? signal)));
	const kill = () => child.kill();
	process.once('exit', kill);
	while (!(await listens(port))) {
		if (ended !== undefined) throw new Error(`nginx did not start: ${ended}\n${errors}`);
		await wait(LOOK_AGAIN_MS);
	}
	return {
		url: `http://127.0.0.1:${port}`,
		async answered(status) {
			const log = path.join(folder, 'access.log');
			while (!(await readFile(log, 'utf8')).includes(`[${status}]`)) await wait(LOOK_AGAIN_MS);
		},
		async stop() {
			process.off('exit', kill);
			if (ended === undefined) {
				const exited = once(child, 'exit');
				child.kill();
				await exited;
			}
			await rm(folder, { recursive: true, force: true });
		},
	};
}

const listens = async (port: number): Promise<boolean> =>
	await new Promise((resolve) => {
		const socket = connect(port, '127.0.0.1');
		socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
		socket.once('connect', () => socket.destroy());
	});
