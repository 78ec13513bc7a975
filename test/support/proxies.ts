/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
/** A real nginx or HAProxy on loopback, as they stand in front of many a gateway. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from './n8n/server';
import { startProgram } from './program';

export type ProxyName = 'nginx' | 'haproxy';

/** What a proxy is asked for; all else is as it comes. */
export type Wish = keyof typeof NGINX_WISHES;

const NGINX_WISHES = {
	gzip: 'gzip on; gzip_types *; gzip_min_length 1; gzip_proxied any;',
	buffers: 'proxy_buffering on; proxy_request_buffering on;',
	'no buffers': 'proxy_buffering off; proxy_request_buffering off;',
	'one at a time': 'limit_conn all 1;',
	'bodies of 1 MB': 'client_max_body_size 1m;',
	'short time-outs': 'proxy_read_timeout 1s; keepalive_timeout 1ms;',
};

interface Kind {
	/** Debian has them here, which is not on the PATH of most users. */
	program: string;
	args: string[];
	wishes: Record<Wish, string>;
	config: (port: number, upstream: URL, wishes: string) => string;
}

const KINDS: Record<ProxyName, Kind> = {
	nginx: {
		program: '/usr/sbin/nginx',
		args: ['-p', './', '-c', 'config'],
		wishes: NGINX_WISHES,
		config: (port, { origin }, wishes) => `daemon off;
master_process off;
pid nginx.pid;
error_log stderr crit;
events {}
http {
	log_format status "[$status]";
	access_log /dev/stdout status;
	limit_conn_zone $server_port zone=all:1m;
	${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`).join('\n\t')}
	server {
		listen 127.0.0.1:${port};
		location / {
			proxy_pass ${origin};
			proxy_http_version 1.1;
			${wishes}
		}
	}
}
`,
	},
	haproxy: {
		program: '/usr/sbin/haproxy',
		args: ['-db', '-f', 'config'],
		wishes: {
			gzip: 'compression algo gzip\n\tcompression type audio/mpeg audio/wav application/json text/event-stream',
			buffers: 'option http-buffer-request',
			'no buffers': 'option http-no-delay',
			'one at a time': 'default-server maxconn 1\n\ttimeout queue 100',
			'bodies of 1 MB':
				'http-request deny deny_status 413 if { req.hdr_val(content-length) gt 1048576 }',
			'short time-outs': 'timeout server 1s\n\ttimeout http-keep-alive 1',
		},
		config: (port, { host }, wishes) => `global
	log stdout format raw local0
defaults
	mode http
	log global
	log-format "[%ST]"
	timeout connect 5s
	timeout client 1m
	timeout server 1m
listen all
	bind 127.0.0.1:${port}
	${wishes}
	server gateway ${host}
`,
	},
};

const LOOK_AGAIN_MS = 20;

export interface Proxy {
	url: string;
	/** Resolves once a request has been answered with a status. */
	answered(status: number): Promise<void>;
	/** As a machine does that fails: what is under way breaks off. */
	kill(): Promise<void>;
	stop(): Promise<void>;
}

/** Starts a proxy in front of a server. */
export async function startProxy(
	name: ProxyName,
	upstream: string,
	wishes: Wish[] = [],
): Promise<Proxy> {
	const kind = KINDS[name];
	const port = await freePort();
	const folder = await mkdtemp(path.join(tmpdir(), `${name}-`));
	const wanted = wishes.map((wish) => kind.wishes[wish]).join('\n\t');
	await writeFile(path.join(folder, 'config'), kind.config(port, new URL(upstream), wanted));
	const program = await startProgram(kind.program, kind.args, async () => await listens(port), {
		cwd: folder,
	});
	return {
		url: `http://127.0.0.1:${port}`,
		async answered(status) {
			while (!program.output().includes(`[${status}]`)) await wait(LOOK_AGAIN_MS);
		},
		kill: program.stop,
		async stop() {
			await program.stop();
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
