/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
/**
 * The simulator's own controls, for tests in other processes. Never recorded, no key needed.
 *
 * - GET  /__sim/state → `{ requests, charges, accounts, voices, jobs, videos, faults }`, or one of them as /__sim/requests …
 * - POST /__sim/faults, a fault or an array of them; an expression is written `{ "regex": "…", "flags": "i" }`, and
 *   endless `times` or `jobSeconds` as "Infinity"
 * - POST /__sim/clear (faults), /__sim/reset, /__sim/topup `{ tokens, account? }`,
 *   /__sim/accounts `{ balanceTokens?, capabilities? }`, /__sim/finish `{ id? }`, /__sim/options (any of the options but port and prefix)
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json as readJson } from 'node:stream/consumers';

import type { Fault, Simulator } from '.';
import { jobJson } from './jobs';
import { videoJson } from './videos';

function state(sim: Simulator) {
	const { requests, charges, accounts, voices, faults } = sim;
	const jobs = sim.jobs.map((job) => ({ ...jobJson(job), account: job.account }));
	const videos = sim.videos.map((video) => ({ ...videoJson(video), account: video.account }));
	return { requests, charges, accounts, voices, jobs, videos, faults };
}

/** What JSON cannot say: expressions and Infinity. */
function revive(_key: string, value: unknown): unknown {
	if (value === 'Infinity') return Infinity;
	const { regex, flags } = (value ?? {}) as { regex?: string; flags?: string };
	return typeof regex === 'string' ? new RegExp(regex, flags) : value;
}

type Body = Record<string, never>;

const ACTIONS: Record<string, (sim: Simulator, body: Body) => unknown> = {
	faults: (sim, body) => {
		const faults = JSON.parse(JSON.stringify(body), revive) as Fault | Fault[];
		for (const fault of [faults].flat()) sim.fault(fault);
	},
	clear: (sim) => sim.clearFaults(),
	reset: (sim) => sim.reset(),
	topup: (sim, { tokens, account }) => sim.topUp(tokens, account),
	accounts: (sim, body) => sim.addAccount(body),
	finish: (sim, { id }) => sim.finish(id),
	options: (sim, body) => Object.assign(sim.options, body),
};

/** Serves one request below /__sim/. */
export async function control(
	sim: Simulator,
	incoming: IncomingMessage,
	response: ServerResponse,
	url: URL,
): Promise<void> {
	const name = url.pathname.slice('/__sim/'.length);
	const reply = (status: number, value: unknown) => {
		response.writeHead(status, { 'content-type': 'application/json' });
		response.end(JSON.stringify(value ?? {}));
	};
	try {
		if (incoming.method === 'GET') {
			const all: Record<string, unknown> = state(sim);
			const found = name === 'state' ? all : all[name];
			return found === undefined ? reply(404, {}) : reply(200, found);
		}
		const action = ACTIONS[name];
		if (!action) return reply(404, {});
		const hasBody = incoming.headers['content-length'] ?? incoming.headers['transfer-encoding'];
		const body = hasBody && hasBody !== '0' ? ((await readJson(incoming)) as Body) : {};
		reply(200, action(sim, body));
	} catch (error) {
		reply(400, { error: (error as Error).message });
	}
}
