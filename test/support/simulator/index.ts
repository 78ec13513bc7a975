/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
/**
 * The gateway as its API description has it, as a real HTTP server on this machine, with a ledger of every token charged
 * and faults on demand. It shares no code with the nodes, or both could share one mistake.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

import * as clock from '../clock';
import type { Fault } from './faults';
import { serve } from './server';
import { type SimRequest, type SimulatorOptions, World } from './world';

export type { DialectName } from './dialects';
export type { Fault } from './faults';
export type { Account, SimCharge, SimRequest, SimulatorOptions } from './world';

/** Longest wait for an event, in ms, so that a test which waits in vain says what it saw. */
const WAIT_MS = 300_000;

export class Simulator extends World {
	/** Base address, without /v1. */
	url = '';
	/** Connections that are open. */
	readonly sockets = new Set<Socket>();
	private readonly server: Server;

	constructor(options?: SimulatorOptions) {
		super(options);
		this.server = createServer((incoming, response) => {
			const url = new URL(incoming.url ?? '/', 'http://simulator');
			const [, shown] = /^\/__sim\/(\w+)$/.exec(url.pathname) ?? [];
			if (shown) this.show(shown, response);
			else serve(this, incoming, response, url).catch((error: Error) => response.destroy(error));
		});
		this.server.on('connection', (socket) => {
			this.sockets.add(socket);
			socket.once('close', () => this.sockets.delete(socket));
		});
		// Connections stay open as long as the client likes: a close at the wrong moment would look like a fault.
		this.server.keepAliveTimeout = 0;
		this.server.requestTimeout = 0;
	}

	/** Shows other processes what it knows, as `GET /__sim/charges`; such requests are not recorded and need no key. */
	private show(name: string, response: ServerResponse): void {
		const { requests, charges, accounts, voices, faults } = this;
		const lists: Record<string, unknown> = { requests, charges, accounts, voices, faults };
		response.writeHead(lists[name] ? 200 : 404, { 'content-type': 'application/json' });
		response.end(JSON.stringify(lists[name] ?? {}));
	}

	/** Key of the default account. */
	get apiKey(): string {
		return this.accounts[0].apiKey;
	}

	/** The texts that were charged, in their order. */
	charged(): string[] {
		return this.charges.map(({ input }) => input);
	}

	async listen(): Promise<this> {
		await new Promise<void>((resolve, reject) => {
			this.server.once('error', reject);
			this.server.listen(this.options.port, '127.0.0.1', resolve);
		});
		const { port } = this.server.address() as AddressInfo;
		this.url = `http://127.0.0.1:${port}`;
		return this;
	}

	/** Adds a fault; it applies until it is used up or cleared. */
	fault(fault: Fault): void {
		this.faults.push({ ...fault });
	}

	clearFaults(): void {
		this.faults.length = 0;
	}

	/** Adds tokens to an account's balance. */
	topUp(tokens: number, account = this.accounts[0].account): void {
		const found = this.accounts.find((candidate) => candidate.account === account);
		if (!found) throw new Error(`No such account: ${account}`);
		found.balanceTokens += tokens;
	}

	/** Makes a job or video (all, without an id) ready now. */
	finish(id?: string): void {
		const tasks = [...this.jobs, ...this.videos].filter(
			(task) => id === undefined || task.id === id,
		);
		for (const task of tasks) task.readyAt = Math.min(task.readyAt, clock.now());
	}

	/** Waits until the requests seen are such that the predicate holds; it is asked anew after each event. */
	async waitFor(predicate: (requests: SimRequest[]) => boolean): Promise<SimRequest[]> {
		const events = ['request', 'worked', 'charge', 'response'] as const;
		return await new Promise((resolve, reject) => {
			const check = () => {
				if (!predicate(this.requests)) return;
				stop();
				resolve(this.requests);
			};
			const stop = () => {
				clearTimeout(timer);
				for (const event of events) this.off(event, check);
			};
			const timer = setTimeout(() => {
				stop();
				const seen = this.requests.map(({ method, path, status }) => `${method} ${path} ${status}`);
				reject(new Error(`Waited in vain; requests seen:\n${seen.join('\n')}`));
			}, WAIT_MS);
			for (const event of events) this.on(event, check);
			check();
		});
	}

	/** Breaks off everything and frees the port. */
	async close(): Promise<void> {
		this.life.abort();
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}
}

/** Starts a simulator that listens on 127.0.0.1. */
export async function startSimulator(options?: SimulatorOptions): Promise<Simulator> {
	return await new Simulator(options).listen();
}
