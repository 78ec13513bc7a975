/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
/**
 * The time that the simulator and, under `useVirtualTime`, the nodes go by. Virtual time stands still while anything in
 * this process is at work, and jumps to the next thing that waits for it as soon as nothing is: a wait of an hour
 * takes milliseconds, and a slow machine changes nothing of the order of events.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { ClientRequest } from 'node:http';
import { Socket } from 'node:net';
import type { Transform } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as realWait } from 'node:timers/promises';
import { Gunzip } from 'node:zlib';

interface Timer {
	at: number;
	fire: () => void;
}

const RealDate = Date;
const realPerformanceNow = performance.now.bind(performance);
const realTimeout = AbortSignal.timeout.bind(AbortSignal);
const realSetTimeout = globalThis.setTimeout;
const realRequestTimeout = ClientRequest.prototype.setTimeout;

/** The class of all streams that compress or decompress. */
const Zlib = Object.getPrototypeOf(Object.getPrototypeOf(Gunzip.prototype)) as Transform;
const realTransform = Zlib._transform;

/** Virtual now, in ms since 1970; undefined: time is real. */
let virtualNow: number | undefined;
let timers: Timer[] = [];
let driving = false;
/** When n8n's own short waits will be over, in real ms since the process started. */
let n8nWaitsUntil = 0;

export const now = (): number => virtualNow ?? RealDate.now();

/** A machine: the ms that its clock was stepped by, as NTP or an administrator does; only dates show it. */
export class Machine {
	stepMs = 0;

	/** What `work` does, it does on this machine. */
	async run<T>(work: () => Promise<T>): Promise<T> {
		return await machines.run(this, work);
	}
}

const machines = new AsyncLocalStorage<Machine>();
let machine = new Machine();

/** Steps the clock of dates forward, or back; durations go on as before. Virtual time only. */
export const stepClock = (milliseconds: number, of = machine): void =>
	void (of.stepMs += milliseconds);

/** Ms of the real clock, under virtual time, too. */
export const realMs = realPerformanceNow;

/** Resolves after `milliseconds`; rejects with an AbortError when the signal aborts. */
export async function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
	if (virtualNow === undefined) return await realWait(milliseconds, undefined, { signal });
	const aborted = () => new DOMException('The operation was aborted', 'AbortError');
	if (signal?.aborted) throw aborted();
	if (milliseconds <= 0) return;
	await new Promise<void>((resolve, reject) => {
		const cancel = after(milliseconds, () => {
			signal?.removeEventListener('abort', stop);
			resolve();
		});
		const stop = () => {
			cancel();
			reject(aborted());
		};
		signal?.addEventListener('abort', stop, { once: true });
	});
}

/**
 * Makes time virtual for all tests of this file: `Date`, `performance.now`, `AbortSignal.timeout`, the time-outs of
 * HTTP requests and the simulator. n8n's own timers stay real; virtual time waits for the short ones, such as those
 * between two tries of a node.
 */
export function useVirtualTime(): void {
	beforeAll(startVirtualTime);
	afterAll(() => {
		unsubscribe(CLIENT_SOCKET, noteClient);
		clients.clear();
		virtualNow = undefined;
		timers = [];
		machine = new Machine();
		globalThis.Date = RealDate;
		performance.now = realPerformanceNow;
		globalThis.setTimeout = realSetTimeout;
		AbortSignal.timeout = realTimeout;
		ClientRequest.prototype.setTimeout = realRequestTimeout;
		Zlib._transform = realTransform;
	});
}

/** Makes time virtual from now on, in a process that is no test. */
export function startVirtualTime(): void {
	subscribe(CLIENT_SOCKET, noteClient);
	virtualNow = RealDate.now();
	globalThis.Date = VirtualDate as DateConstructor;
	const began = virtualNow;
	performance.now = () => now() - began;
	globalThis.setTimeout = Object.assign(notedTimeout, realSetTimeout);
	AbortSignal.timeout = (milliseconds) => {
		const controller = new AbortController();
		// Node ends a longer one after a millisecond.
		const delay = milliseconds < 2 ** 31 ? milliseconds : 1;
		after(delay, () => controller.abort(new DOMException('Time-out', 'TimeoutError')));
		return controller.signal;
	};
	ClientRequest.prototype.setTimeout = requestTimeout;
	Zlib._transform = function (chunk, encoding, done) {
		unpacking.add(this);
		realTransform.call(this, chunk, encoding, (...result) => {
			unpacking.delete(this);
			done(...result);
		});
	};
}

class VirtualDate extends RealDate {
	constructor(...values: unknown[]) {
		super(...((values.length > 0 ? values : [VirtualDate.now()]) as [number]));
	}

	static now = (): number => now() + (machines.getStore() ?? machine).stepMs;
}

function notedTimeout(callback: (...values: unknown[]) => void, delay = 0, ...values: unknown[]) {
	if (delay <= SHORT_WAIT_MS) n8nWaitsUntil = Math.max(n8nWaitsUntil, realPerformanceNow() + delay);
	return realSetTimeout(callback, delay, ...values);
}

/** The time-out of a request that has no answer yet; axios takes it away when there is one. */
function requestTimeout(this: ClientRequest, milliseconds: number, onTimeout?: () => void) {
	if (milliseconds > 0) {
		const cancel = after(milliseconds, () => onTimeout?.());
		for (const event of ['response', 'close']) this.once(event, cancel);
	}
	return this;
}

/** Calls `fire` when it is time; returns what calls it off. */
function after(milliseconds: number, fire: () => void): () => void {
	const timer = { at: now() + Math.max(0, milliseconds), fire };
	timers.push(timer);
	if (!driving) void drive();
	return () => void (timers = timers.filter((other) => other !== timer));
}

async function drive(): Promise<void> {
	driving = true;
	while (timers.length > 0) {
		await quiet();
		const next = timers.reduce((at, timer) => Math.min(at, timer.at), Infinity);
		if (virtualNow === undefined || next === Infinity) break;
		virtualNow = Math.max(virtualNow, next);
		const due = timers.filter(({ at }) => at <= next);
		timers = timers.filter(({ at }) => at > next);
		for (const { fire } of due) fire();
	}
	driving = false;
}

/** What a process that only waits has open; all else (a file being written, a connection being made) is work. */
const AT_REST = new Set([
	'MessagePort',
	'PipeWrap',
	'ProcessWrap',
	'SignalWrap',
	'TCPServerWrap',
	'TCPSocketWrap',
	'TTYWrap',
	'Timeout',
]);

/** Looks that must all find nothing at work. */
const CALM_LOOKS = 4;

const SHORT_WAIT_MS = 20;

/**
 * Looks at a socket that change nothing until it counts as at rest: a reader that has stopped leaves bytes in it for ever,
 * but a busy machine takes more than a hundred milliseconds to deliver them to one that has not.
 */
const MOST_LOOKS = 3_000;

/** What was seen of sockets with something on the way, and how many looks it has been so. */
const seen = new WeakMap<Socket, { state: string; looks: number }>();

async function quiet(): Promise<void> {
	for (let calm = 0; calm < CALM_LOOKS; ) {
		// One real wait, so that threads get their turn; then only what this process has to do itself.
		await (calm === 0 ? realWait(1) : nextTurn());
		const works = process.getActiveResourcesInfo().some((resource) => !AT_REST.has(resource));
		const isCalm =
			!isOnTheWay() && !works && !isUnpacking() && realPerformanceNow() >= n8nWaitsUntil;
		calm = isCalm ? calm + 1 : 0;
	}
}

/** Streams with a chunk that they compress or decompress in another thread, which is not among the active resources. */
const unpacking = new Set<Transform>();

function isUnpacking(): boolean {
	for (const stream of unpacking) if (stream.destroyed) unpacking.delete(stream);
	// Once nobody reads what it has made, it waits in a `_read` of its own.
	return [...unpacking].some((stream) => !Object.hasOwn(stream, '_read'));
}

const CLIENT_SOCKET = 'net.client.socket';

/** All clients' sockets: one that an agent keeps for later is not among the active handles, its server's end is. */
const clients = new Set<Socket>();

function noteClient(message: unknown): void {
	const { socket } = message as { socket: Socket };
	clients.add(socket);
	socket.once('close', () => clients.delete(socket));
}

/** Whether anything was written to a connection within this process, or one end closed, that the other end has not seen. */
function isOnTheWay(): boolean {
	const handles = (process as unknown as { _getActiveHandles(): unknown[] })._getActiveHandles();
	const sockets = handles.filter(
		(handle): handle is Socket => handle instanceof Socket && handle.remotePort !== undefined,
	);
	const byPorts = new Map(
		[...clients, ...sockets].map((socket) => [`${socket.localPort} ${socket.remotePort}`, socket]),
	);
	return sockets.filter((socket) => isExpecting(socket, byPorts)).length > 0;
}

function isExpecting(socket: Socket, byPorts: Map<string, Socket>): boolean {
	const { localPort, remotePort, bytesWritten } = socket;
	const peer = byPorts.get(`${remotePort} ${localPort}`);
	if (peer && bytesWritten <= peer.bytesRead) return false;
	const state = `${bytesWritten} ${peer?.bytesRead}`;
	const before = seen.get(socket);
	const looks = before?.state === state ? before.looks + 1 : 0;
	seen.set(socket, { state, looks });
	return looks < MOST_LOOKS;
}
