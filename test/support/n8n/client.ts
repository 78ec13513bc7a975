/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { parse } from 'flatted';
import type {
	IBinaryData,
	INodeExecutionData,
	IRunExecutionData,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';

/** The owner account that every n8n under test gets; the demo prints it. */
export const OWNER = {
	email: 'owner@example.com',
	password: 'Speech-Gateway-1', // eslint-disable-line @n8n/community-nodes/no-hardcoded-secrets -- of n8n instances on loopback that live for one run
	firstName: 'Test',
	lastName: 'Owner',
};

/** n8n closes a connection that was idle for 5 s: a POST sent at that moment fails, and fetch does not repeat it. */
const NEW_CONNECTION = { connection: 'close' };

/** How long an execution may take before waiting for it is given up. */
const EXECUTION_LIMIT_MS = 480_000;
/** Polls of n8n's REST interface: quick at first, then gentle on the two cores that n8n also runs on. */
const FIRST_POLL_MS = 40;
const MAX_POLL_MS = 500;
const ENDED = ['success', 'error', 'crashed', 'canceled', 'waiting'];

export interface Credential {
	id: string;
	name: string;
	type: string;
}

/** A workflow as n8n exports it: what examples/*.json hold. */
export interface WorkflowJson {
	name: string;
	nodes: Array<{
		id: string;
		name: string;
		type: string;
		typeVersion: number;
		position: [number, number];
		parameters: object;
		credentials?: Record<string, { id: string | null; name: string }>;
		[setting: string]: unknown;
	}>;
	connections: Record<string, unknown>;
	settings?: Record<string, unknown>;
	[other: string]: unknown;
}

export interface SavedWorkflow extends WorkflowJson {
	id: string;
	versionId: string;
}

export interface Execution {
	id: string;
	status: string;
	mode: WorkflowExecuteMode;
	workflowId: string;
	retryOf?: string | null;
	startedAt: string;
	stoppedAt?: string;
	data: IRunExecutionData;
}

export type ExecutionSummary = Omit<Execution, 'data'>;

/** One line of a webhook that answers in response mode "streaming". */
export interface StreamChunk {
	type: 'begin' | 'item' | 'end' | 'error';
	content?: string;
	metadata: { nodeName: string; runIndex: number; itemIndex: number; timestamp: number };
}

/** Error answer of n8n's REST interface. */
export class N8nApiError extends Error {
	constructor(
		readonly status: number,
		request: string,
		readonly body: string,
	) {
		super(`${request} → ${status}: ${body.slice(0, 1000)}`);
	}
}

/** Drives n8n through the interface that its editor uses (no API key needed, same in 2.16 and 2.41). */
export class N8nClient {
	/** With `session` of a client that is logged in, no log-in is needed (n8n allows five a minute). */
	constructor(
		readonly url: string,
		readonly session = { cookie: '', browserId: randomUUID() as string },
	) {}

	/** Sends one request; returns the `data` of the answer. Throws N8nApiError for a status of 400 and above. */
	async request<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
		const response = await this.send(method, path, body);
		const text = await response.text();
		if (!response.ok) throw new N8nApiError(response.status, `${method} ${path}`, text);
		const json = text ? (JSON.parse(text) as { data?: T }) : {};
		return ('data' in json ? json.data : json) as T;
	}

	private async send(method: string, path: string, body?: unknown): Promise<Response> {
		return await fetch(this.url + path, {
			method,
			headers: {
				...NEW_CONNECTION,
				'browser-id': this.session.browserId,
				...(this.session.cookie && { cookie: this.session.cookie }),
				...(body !== undefined && { 'content-type': 'application/json' }),
			},
			body: body === undefined ? undefined : JSON.stringify(body),
		});
	}

	/** Logs the owner in; a new n8n is given one. */
	async logIn(): Promise<void> {
		const { email, password } = OWNER;
		const login = { email, emailOrLdapLoginId: email, password };
		const known = await this.send('POST', '/rest/login', login);
		const response = known.ok ? known : await this.send('POST', '/rest/owner/setup', OWNER);
		const text = await response.text();
		if (!response.ok) throw new N8nApiError(response.status, 'log in', text);
		this.session.cookie = response.headers
			.getSetCookie()
			.map((cookie) => cookie.split(';')[0])
			.join('; ');
	}

	/** The descriptions of all nodes (or credentials) that n8n has loaded. */
	async types(kind: 'nodes' | 'credentials' = 'nodes'): Promise<Array<Record<string, unknown>>> {
		return await this.request('GET', `/types/${kind}.json`);
	}

	async createCredential(
		type: string,
		data: Record<string, unknown>,
		name = `${type} ${randomUUID().slice(0, 8)}`,
	): Promise<Credential> {
		return await this.request('POST', '/rest/credentials', { name, type, data });
	}

	/** Runs the credential's test; status is `OK` or `Error`. */
	async testCredential(
		credential: Credential,
		data: Record<string, unknown>,
	): Promise<{ status: string; message: string }> {
		return await this.request('POST', '/rest/credentials/test', {
			credentials: { ...credential, data },
		});
	}

	/** Saves a workflow. Each given credential replaces the one of its type in every node, and is added to this package's nodes. */
	async importWorkflow(
		workflow: WorkflowJson,
		credentials: Credential[] = [],
	): Promise<SavedWorkflow> {
		const nodes = workflow.nodes.map((node) => {
			const needs = credentials.filter(
				({ type }) => node.credentials?.[type] ?? node.type.startsWith('n8n-nodes-speech-gateway.'),
			);
			if (needs.length === 0) return node;
			const own = Object.fromEntries(needs.map(({ type, id, name }) => [type, { id, name }]));
			return { ...node, credentials: { ...node.credentials, ...own } };
		});
		const { name, connections, settings, pinData } = workflow;
		return await this.request('POST', '/rest/workflows', {
			name,
			nodes,
			connections,
			settings: settings ?? {},
			pinData,
			active: false,
		});
	}

	/** Runs a workflow as the editor's Execute button does (mode `manual`); returns the execution's id at once. */
	async start(workflow: SavedWorkflow, trigger = firstTrigger(workflow)): Promise<string> {
		const { executionId } = await this.request<{ executionId?: string }>(
			'POST',
			`/rest/workflows/${workflow.id}/run`,
			{ workflowData: workflow, triggerToStartFrom: { name: trigger } },
		);
		if (!executionId)
			throw new Error(`"${workflow.name}" waits for a webhook call: activate and call it`);
		return executionId;
	}

	/** Runs a workflow as the editor does and waits for its end. */
	async run(workflow: SavedWorkflow, trigger?: string): Promise<Execution> {
		return await this.waitForExecution(await this.start(workflow, trigger));
	}

	/** Makes a workflow's production webhooks and schedules work; they do when this returns. */
	async activate(workflow: SavedWorkflow): Promise<void> {
		const { id, versionId } = workflow;
		const path = `/rest/workflows/${id}`;
		await this.request('POST', `${path}/activate`, { versionId });
		// 2.41 publishes in the background; 2.16 has no such status and is done by now.
		await poll(`the activation of "${workflow.name}"`, async () => {
			const { status } = await this.request<{ status: string }>(
				'GET',
				`${path}/publication-status`,
			).catch((error: unknown) => {
				if (error instanceof N8nApiError && error.status === 404) return { status: 'published' };
				throw error;
			});
			if (status === 'published') return true;
			if (status === 'in_progress' || status === 'not_published') return undefined;
			throw new Error(`Activation of "${workflow.name}" ended as ${status}`);
		});
	}

	/** Calls an active workflow's webhook; the answer is n8n's, whatever its status. */
	async callWebhook(workflow: WorkflowJson, body: unknown = {}): Promise<Response> {
		return await fetch(`${this.url}/webhook/${webhookPath(workflow)}`, {
			method: 'POST',
			headers: { ...NEW_CONNECTION, 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
	}

	/** Starts a production execution (mode `webhook`, saved and retryable) of an active workflow; returns its id. */
	async trigger(workflow: SavedWorkflow, body: unknown = {}): Promise<string> {
		const known = new Set((await this.executions(workflow.id)).map(({ id }) => id));
		const response = await this.callWebhook(workflow, body);
		if (!response.ok)
			throw new N8nApiError(
				response.status,
				`webhook of "${workflow.name}"`,
				await response.text(),
			);
		await response.body?.cancel();
		return await poll(
			`a new execution of "${workflow.name}"`,
			async () => (await this.executions(workflow.id)).find(({ id }) => !known.has(id))?.id,
		);
	}

	/** Starts a production execution and waits for its end. */
	async runProduction(workflow: SavedWorkflow, body: unknown = {}): Promise<Execution> {
		return await this.waitForExecution(await this.trigger(workflow, body));
	}

	/** The same of a workflow whose webhook answers when its last node has finished: until then, nothing is asked of n8n. */
	async runUndisturbed(workflow: SavedWorkflow): Promise<Execution> {
		const response = await this.callWebhook(workflow);
		await response.text();
		const [{ id }] = await this.executions(workflow.id);
		return await this.waitForExecution(id);
	}

	/** Calls a webhook in response mode "streaming"; yields each chunk as it arrives. */
	async *stream(workflow: SavedWorkflow, body: unknown = {}): AsyncGenerator<StreamChunk> {
		const response = await this.callWebhook(workflow, body);
		if (!response.ok || !response.body)
			throw new N8nApiError(
				response.status,
				`webhook of "${workflow.name}"`,
				await response.text(),
			);
		const source = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
		for await (const line of createInterface({ input: source }))
			if (line.trim()) yield JSON.parse(line) as StreamChunk;
	}

	/** The newest 100 executions of a workflow, newest first, running ones included. */
	async executions(workflowId: string): Promise<ExecutionSummary[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const { results } = await this.request<{ results: ExecutionSummary[] }>(
			'GET',
			`/rest/executions?limit=100&filter=${filter}`,
		);
		// The node's own sub-workflows, by which it uses data tables: n8n lists them for a moment, and shows nobody what they have.
		return results.filter(({ mode }) => mode !== 'integrated');
	}

	async execution(id: string): Promise<Execution> {
		return await poll(`the data of execution ${id}`, async () => await this.ifSaved(id));
	}

	/** Undefined while n8n has no data of the execution yet: it writes the data after the execution itself. */
	private async ifSaved(id: string): Promise<Execution | undefined> {
		const execution = await this.request<Omit<Execution, 'data'> & { data?: string }>(
			'GET',
			`/rest/executions/${id}`,
		).catch((error: unknown) => {
			// n8n 2.16 fails to show one that was started by hand and has no data yet.
			if (error instanceof N8nApiError && /reading 'resultData'/.test(error.body)) return undefined;
			throw error;
		});
		if (execution?.data === undefined) return undefined;
		return { ...execution, data: parse(execution.data) as IRunExecutionData };
	}

	/** Waits until an execution has ended, or is parked (`waiting`). */
	async waitForExecution(id: string, limitMs?: number): Promise<Execution> {
		const ended = async () => {
			const execution = await this.ifSaved(id);
			return execution && ENDED.includes(execution.status) ? execution : undefined;
		};
		return await poll(`the end of execution ${id}`, ended, limitMs);
	}

	/** Waits until an execution that is parked has gone on and ended. n8n looks for it once a minute. */
	async waitForResumed(id: string): Promise<Execution> {
		return await poll(`the end of the parked execution ${id}`, async () => {
			const execution = await this.ifSaved(id);
			const { status = 'waiting' } = execution ?? {};
			return status !== 'waiting' && ENDED.includes(status) ? execution : undefined;
		});
	}

	/** "Retry execution" of a failed execution, with the saved or the current workflow; waits for its end. */
	async retry(id: string, { loadWorkflow = false } = {}): Promise<Execution> {
		const path = `/rest/executions/${id}/retry`;
		const retry = await this.request<{ id: string }>('POST', path, { loadWorkflow });
		return await this.waitForExecution(retry.id);
	}

	/** Deletes an execution and its files, as n8n does with old ones. */
	async deleteExecution(id: string): Promise<void> {
		await this.request('POST', '/rest/executions/delete', { ids: [id] });
	}

	/** The Stop button. The execution is `canceled` at once; the node may still be ending its work. */
	async stop(executionId: string): Promise<void> {
		await this.request('POST', `/rest/executions/${executionId}/stop`);
	}

	/** The bytes of a binary property, wherever n8n keeps them. */
	async binary({ id, data }: IBinaryData): Promise<Buffer> {
		if (!id) return Buffer.from(data, 'base64');
		const path = `/rest/binary-data?action=download&id=${encodeURIComponent(id)}`;
		const response = await this.send('GET', path);
		if (!response.ok) throw new N8nApiError(response.status, `GET ${path}`, await response.text());
		return Buffer.from(await response.arrayBuffer());
	}
}

/** What a node returned in one of its runs: the items of each main output. Empty when it did not run. */
export function nodeOutputs(
	execution: Execution,
	nodeName: string,
	run = 0,
): INodeExecutionData[][] {
	const main = execution.data.resultData.runData[nodeName]?.[run]?.data?.main ?? [];
	return main.map((items) => items ?? []);
}

/** The error that ended an execution, or that a node threw. */
export function executionError(
	execution: Execution,
): { message: string; [key: string]: unknown } | undefined {
	return execution.data.resultData.error as { message: string; [key: string]: unknown } | undefined;
}

const isTrigger = ({ type }: { type: string }) => /trigger$|\.webhook$/i.test(type);

function firstTrigger(workflow: WorkflowJson): string {
	const node = workflow.nodes.find(isTrigger);
	if (!node) throw new Error(`"${workflow.name}" has no trigger`);
	return node.name;
}

function webhookPath(workflow: WorkflowJson): string {
	const node = workflow.nodes.find(({ type }) => type === 'n8n-nodes-base.webhook');
	if (!node) throw new Error(`"${workflow.name}" has no webhook`);
	return (node.parameters as { path: string }).path;
}

/** Looks until there is something to see. Fails, naming it, when an execution would be over. */
export async function poll<T>(
	what: string,
	look: () => Promise<T | undefined>,
	limitMs = EXECUTION_LIMIT_MS,
): Promise<T> {
	const until = performance.now() + limitMs;
	for (let delay = FIRST_POLL_MS; ; delay = Math.min(delay * 1.5, MAX_POLL_MS)) {
		const found = await look();
		if (found !== undefined) return found;
		if (performance.now() > until)
			throw new Error(`Waited ${limitMs / 1000} s in vain for ${what}`);
		await wait(delay);
	}
}
