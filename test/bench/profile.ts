/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- runs outside n8n */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { N8n } from '../support/n8n/server';

/** Environment of an n8n whose CPU is profiled. */
export const PROFILED = {
	NODE_OPTIONS: `--require ${path.join(__dirname, 'profiler.cjs')}`,
	PROFILE_FILE: 'n8n.cpuprofile',
};

/** As V8 writes it. */
interface Profile {
	nodes: Array<{
		id: number;
		callFrame: { functionName: string; url: string };
		children?: number[];
	}>;
	samples: number[];
	timeDeltas: number[];
}

/** Whose work it is, by the package of the innermost call that is in one. What Node does for it counts as its own. */
const OWNERS: Array<[owner: string, packages: RegExp]> = [
	['this node', /^n8n-nodes-speech-gateway$/],
	['n8n: expressions and parameters', /^(@n8n\/expression-runtime|n8n-workflow)$/],
	[
		'n8n: HTTP client',
		/^(axios|@n8n\/backend-network|proxy-from-env|follow-redirects|form-data|agent-base|https?-proxy-agent)$/,
	],
	['n8n: files of results', /^(@n8n\/blob-storage|@n8n\/backend-common|uuid)$/],
	['n8n: database', /^(sqlite3|@n8n\/typeorm|tarn|flatted)$/],
];
const ENGINE = 'n8n: all else';
const NODE = 'Node: sockets, streams and timers that nobody waits for in a call';
const COLLECTOR = 'garbage collection';
/** Not work, or the profiler's own. */
const LEFT_OUT = ['(idle)', 'post'];

/** Milliseconds of CPU of n8n's main thread while `work` runs, by whose work it was; the most first. */
export async function profiled(
	{ pid, userFolder }: N8n,
	work: () => Promise<unknown>,
): Promise<Array<[owner: string, milliseconds: number]>> {
	const file = path.join(userFolder, PROFILED.PROFILE_FILE);
	process.kill(pid, 'SIGUSR2');
	await work();
	process.kill(pid, 'SIGUSR2');
	while (!existsSync(file)) await wait(50);
	return byOwner(JSON.parse(readFileSync(file, 'utf8')) as Profile);
}

function byOwner({ nodes, samples, timeDeltas }: Profile): Array<[string, number]> {
	const byId = new Map(nodes.map((node) => [node.id, node]));
	const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map((c) => [c, id])));
	const ownerOf = (id: number): string | undefined => {
		const { functionName } = byId.get(id)!.callFrame;
		if (LEFT_OUT.includes(functionName)) return undefined;
		if (functionName === '(garbage collector)') return COLLECTOR;
		for (let at: number | undefined = id; at !== undefined; at = callers.get(at)) {
			const name = packageOf(byId.get(at)!.callFrame.url);
			if (name) return OWNERS.find(([, packages]) => packages.test(name))?.[0] ?? ENGINE;
		}
		return NODE;
	};
	const total = new Map<string, number>();
	samples.forEach((id, index) => {
		const owner = ownerOf(id);
		if (owner) total.set(owner, (total.get(owner) ?? 0) + timeDeltas[index] / 1000);
	});
	return [...total].sort(([, one], [, other]) => other - one);
}

const packageOf = (url: string): string | undefined =>
	/.*node_modules\/(@[^/]+\/[^/]+|[^/]+)/.exec(url)?.[1];
