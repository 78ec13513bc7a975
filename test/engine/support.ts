/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import 'reflect-metadata';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Container } from '@n8n/di';
import { parse, stringify } from 'flatted';
import {
	BinaryDataConfig,
	BinaryDataService,
	DataDeduplicationService,
	ExecutionLifecycleHooks,
	InstanceSettings,
	WorkflowExecute,
} from 'n8n-core';
import {
	createRunExecutionData,
	type IBinaryData,
	type ICredentialDataDecryptedObject,
	type ICredentialsHelper,
	type IDataObject,
	type IExecuteWorkflowInfo,
	type IHttpRequestOptions,
	type INode,
	type INodeExecutionData,
	type INodeType,
	type IRun,
	type IRunExecutionData,
	type ITaskData,
	type IWorkflowSettings,
	type IWorkflowExecuteAdditionalData,
	type OnError,
	Workflow,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { SpeechGatewayApi } from '../../credentials/SpeechGatewayApi.credentials';
// With .ts, or the demo would load the .node.json beside it.
import { LmChatSpeechGateway } from '../../nodes/LmChatSpeechGateway/LmChatSpeechGateway.node.ts';
import { SpeechGateway } from '../../nodes/SpeechGateway/SpeechGateway.node.ts';
import { Simulator, type SimulatorOptions } from '../support/simulator';
import * as clock from '../support/clock';
import type { DataTables } from './dataTables';
import { fitting, refuseStrays } from './form';
import { type KeyFault, KeyStore } from './keyStore';

/** Name of the node under test. */
export const NODE = 'Speech Gateway';
/** Name of the chat model that is connected to it. */
export const MODEL = 'Speech Gateway Chat Model';

export interface EngineRun {
	/** Only those that the form of the operation has. */
	parameters: IDataObject;
	/** Others as well, as in a workflow that was edited by hand. */
	editedByHand?: true;
	/** Input of the node; default: one empty item. A retry takes that of the failed execution, and accepts no other. */
	items?: INodeExecutionData[];
	/** Input of the node, round by round, as a loop would bring it; in place of `items`. */
	rounds?: INodeExecutionData[][];
	/** What the nodes before this one make of a round's items, when its turn has come. */
	brings?: (items: INodeExecutionData[]) => INodeExecutionData[];
	/** Nodes on the way to this one, in order. */
	before?: Array<{
		name: string;
		/** What it makes of an item's JSON; files go along. Default: what it was. */
		makes?: (json: IDataObject) => IDataObject;
	}>;
	/** An expression that the node behind each output reads: its items are `{ read: … }`. */
	readsBehind?: string;
	/** Nodes with the same id share their keys of `sendOnceKey`. */
	nodeId?: string;
	/** Asked at each use of the key store: whether it fails, and whether it has done its work before that. */
	keyFault?: KeyFault;
	url: string;
	apiKey: string;
	/** The node has no credential. */
	noCredential?: boolean;
	/**
	 * The credential as it is stored, with expressions that n8n resolves by item; asked at each reading, and may throw.
	 * Default: `apiKey` and `url`.
	 */
	credential?: () => { apiKey: string; baseUrl: string; costsNothing?: boolean };
	onError?: OnError;
	retryOnFail?: boolean;
	/** Left out: unset, as in a node whose settings were never opened; n8n then tries 3 times. */
	maxTries?: number;
	waitBetweenTries?: number;
	mode?: WorkflowExecuteMode;
	nodeType?: INodeType;
	/** Parameters of a Speech Gateway Chat Model that is connected to the node, as to an agent. */
	model?: IDataObject;
	/** Run data of an earlier, failed execution: what "Retry execution" starts from. */
	retryOf?: IRunExecutionData;
	/** An execution of an n8n that was killed, to be retried with its original workflow. */
	asItWas?: EngineResult;
	/** Of the workflow's settings. */
	binaryMode?: 'combined';
	/** After which n8n cancels the execution. */
	timeoutSeconds?: number;
	/** Others of them. */
	settings?: IWorkflowSettings;
	/** The node does not learn of an execution, like the tools of an MCP Server Trigger. */
	outsideExecution?: boolean;
	/** Parameters of the node that starts the workflow. */
	startParameters?: IDataObject;
	/** As n8n's engine runs a tool for an agent. */
	asTool?: boolean;
	/**
	 * What stands behind each output of the node: something that runs, a node that is switched off with nothing (`off`) or with
	 * something behind it, or nothing. Default: something behind each, the Error output included.
	 */
	behind?: Array<'runs' | 'off' | 'off, then runs' | undefined>;
	/** What the workflow is called, and its ID. */
	workflowName?: string;
	workflowId?: string;
	/** Whether the node has Always Output Data. */
	alwaysOutputData?: boolean;
	/** Whether it has Execute Once. */
	executeOnce?: boolean;
	/** Called with the running execution, to cancel it or to look at its data. */
	started?: (run: { cancel: () => void; data: IRunExecutionData }) => void;
	/** The data tables of the workflow's project; without, n8n has none. */
	tables?: DataTables;
	/** Given: the run streams, and every chunk arrives here. */
	onChunk?: (chunk: { type: string; content?: unknown; metadata: { itemIndex: number } }) => void;
}

export interface EngineResult {
	run: IRun;
	/** The items per output of the node's last run, with the rows beside what the node says; empty when it failed. */
	left: INodeExecutionData[][];
	/** The same with what the node itself says of each item as its json, without its row. */
	outputs: INodeExecutionData[][];
	/** The same of all its runs: one a round. */
	rounds: INodeExecutionData[][][];
	/** How many items each run of the node behind its first output has got. */
	sentOn: number[];
	/** What the nodes behind the outputs have read, by output. */
	read: unknown[][];
	error?: {
		message: string;
		description?: string | null;
		context?: IDataObject;
		httpCode?: string;
	};
	/** Execution data as it would be saved: what `contextData` holds of the node. */
	context: IDataObject;
	hints: string[];
	executionId: string;
}

let ready: Promise<void> | undefined;

/** Where n8n's files of these tests are; gone with the test file, or the process outside of jest. */
let folder: string | undefined;
const removeFolder = () => {
	if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
};
if (typeof afterAll === 'function') afterAll(removeFolder);
else process.once('exit', removeFolder);

/** Filesystem binary store in a folder of its own; keys of `sendOnceKey` in memory. */
async function prepare(): Promise<void> {
	folder = await mkdtemp(join(tmpdir(), 'engine-'));
	// Before anything asks for them: n8n would read them from the user's own ~/.n8n, or write them there.
	Container.set(
		InstanceSettings,
		Object.assign(Object.create(InstanceSettings.prototype), {
			instanceId: 'test',
			n8nFolder: folder,
			settings: { encryptionKey: 'key of this test' },
		}),
	);
	const config = Container.get(BinaryDataConfig);
	Object.assign(config, {
		mode: 'filesystem',
		availableModes: ['filesystem'],
		localStoragePath: folder,
		signingSecret: 'secret of this test',
	});
	await Container.get(BinaryDataService).init();
	Object.assign(DataDeduplicationService, { instance: undefined }); // of the test file before this one
	await DataDeduplicationService.init(keyStore);
}

/** A file in n8n's store, as a node before this one leaves it. */
export async function storedFile(
	bytes: Uint8Array,
	fileName: string,
	mimeType: string,
): Promise<IBinaryData> {
	await (ready ??= prepare());
	const place = {
		type: 'execution',
		workflowId: 'workflow-under-test',
		executionId: 'before',
	} as const;
	return await Container.get(BinaryDataService).store(place, Buffer.from(bytes), {
		data: '',
		mimeType,
		fileName,
	});
}

/** The bytes of a file in n8n's store. */
export async function readStored(file: IBinaryData): Promise<Buffer> {
	return await Container.get(BinaryDataService).getAsBuffer(file);
}

/** What stands in n8n's database for the keys of `sendOnceKey`; tests look into it, and make it fail. */
export const keyStore = new KeyStore();

let executions = 0;

const MAIN = { type: 'main', index: 0 } as const;

/** Runs the node inside n8n-core's own WorkflowExecute, with n8n's real HTTP helpers against a real server. */
export async function runNode(options: EngineRun): Promise<EngineResult> {
	await (ready ??= prepare());
	const { timeoutSeconds, onChunk } = options;
	if (!options.editedByHand) refuseStrays(options.parameters);
	const nodeType = options.nodeType ?? new SpeechGateway();
	const node: INode = {
		id: options.nodeId ?? 'node-under-test',
		name: NODE,
		type: `n8n-nodes-speech-gateway.speechGateway${options.asTool ? 'Tool' : ''}`,
		typeVersion: 1,
		position: [0, 0],
		parameters: options.parameters as INode['parameters'],
		...(!options.noCredential && {
			credentials: { speechGatewayApi: { id: '1', name: 'Speech Gateway API' } },
		}),
		...(options.onError && { onError: options.onError }),
		...(options.alwaysOutputData && { alwaysOutputData: true }),
		...(options.executeOnce && { executeOnce: true }),
		...(options.retryOnFail && {
			retryOnFail: true,
			...(options.maxTries !== undefined && { maxTries: options.maxTries }),
			waitBetweenTries: options.waitBetweenTries ?? 1,
		}),
	};
	const start: INode = {
		...node,
		id: 'start',
		name: 'Start',
		type: 'test.start',
		parameters: (options.startParameters ?? {}) as INode['parameters'],
		credentials: undefined,
		retryOnFail: false,
		onError: undefined,
	};
	const behind = options.behind ?? ['runs', 'runs', 'runs', 'runs'];
	const nextTo = (output: number) => (output === 0 ? 'Next' : `Next to ${output}`);
	/** They show what they get. */
	const followers = behind.flatMap((what, output): INode[] => {
		const parameters = { value: options.readsBehind ?? '' };
		const next = { ...start, type: 'test.next', id: nextTo(output), parameters };
		const after = { ...next, id: `${next.id}, after`, name: `${nextTo(output)}, after` };
		if (what === undefined) return [];
		return [{ ...next, name: nextTo(output), disabled: what !== 'runs' }, after];
	});
	const model: INode = {
		...start,
		id: 'model',
		name: MODEL,
		type: 'n8n-nodes-speech-gateway.lmChatSpeechGateway',
		parameters: (options.model ?? {}) as INode['parameters'],
		credentials: node.credentials,
	};
	const types: Record<string, INodeType> = {
		[model.type]: new LmChatSpeechGateway(),
		[node.type]: nodeType,
		'test.start': {
			description: {
				displayName: 'Start',
				name: 'start',
				group: ['input'],
				version: 1,
				description: '',
				defaults: {},
				inputs: [],
				outputs: ['main'],
				properties: [
					{ displayName: '', name: 'responseMode', type: 'string', default: 'onReceived' },
				],
			} as never,
			async execute() {
				return [options.brings?.(this.getInputData()) ?? this.getInputData()];
			},
		},
	};
	types['test.next'] = {
		description: {
			...types['test.start'].description,
			properties: [{ displayName: '', name: 'value', type: 'string', default: '' }],
		},
		async execute() {
			if (options.readsBehind === undefined) return [this.getInputData()];
			const read = (_: unknown, i: number) => this.getNodeParameter('value', i) as string;
			return [this.getInputData().map((one, i) => ({ json: { read: read(one, i) } }))];
		},
	};
	const before = options.before ?? [];
	const onTheWay = before.map(({ name, makes = (json) => json }): INode => {
		types[`test.${name}`] = {
			description: types['test.start'].description,
			async execute() {
				return [
					this.getInputData().map(({ json, binary }, item) => {
						return { json: makes(json), pairedItem: { item }, ...(binary && { binary }) };
					}),
				];
			},
		};
		return { ...start, id: name, name, type: `test.${name}`, parameters: {} };
	});
	const way = [...before.map(({ name }) => name), NODE];
	const workflow = new Workflow({
		id: options.workflowId ?? 'workflow-under-test',
		name: options.workflowName ?? 'Workflow under test',
		nodes: [start, ...onTheWay, node, ...followers, ...(options.model ? [model] : [])],
		connections: {
			...Object.fromEntries(
				way.map((name, i) => [way[i - 1] ?? 'Start', { main: [[{ node: name, ...MAIN }]] }]),
			),
			[NODE]: {
				main: behind.map((what, output) => (what ? [{ node: nextTo(output), ...MAIN }] : null)),
			},
			...Object.fromEntries(
				behind.flatMap((what, output) =>
					what === 'off, then runs'
						? [[nextTo(output), { main: [[{ node: `${nextTo(output)}, after`, ...MAIN }]] }]]
						: [],
				),
			),
			...(options.model && {
				[MODEL]: { ai_languageModel: [[{ node: NODE, type: 'ai_languageModel', index: 0 }]] },
			}),
		},
		active: false,
		nodeTypes: {
			getByName: (name) => types[name],
			getByNameAndVersion: (name) => types[name],
			getKnownTypes: () => ({}),
		},
		settings: {
			executionOrder: 'v1',
			...(options.binaryMode && { binaryMode: options.binaryMode }),
			...options.settings,
		},
	});
	const mode = options.mode ?? 'trigger';
	const executionId = String(++executions);
	const hooks = new ExecutionLifecycleHooks(mode, executionId, {
		id: 'workflow-under-test',
		name: 'Test',
		nodes: [],
		connections: {},
		active: false,
	} as never);
	if (onChunk) hooks.addHandler('sendChunk', (chunk) => onChunk(chunk as never));
	const additionalData = {
		executionId: options.outsideExecution ? undefined : executionId,
		hooks,
		variables: {},
		restApiUrl: 'http://localhost/rest',
		formWaitingBaseUrl: 'http://localhost/form-waiting',
		instanceBaseUrl: 'http://localhost/',
		webhookBaseUrl: 'http://localhost/webhook',
		webhookWaitingBaseUrl: 'http://localhost/waiting',
		webhookTestBaseUrl: 'http://localhost/test',
		currentNodeParameters: undefined,
		userId: 'user',
		setExecutionStatus: () => {},
		sendDataToUI: () => {},
		streamingEnabled: onChunk !== undefined,
		executeWorkflow: async (
			info: IExecuteWorkflowInfo,
			_: unknown,
			{ inputData }: { inputData?: INodeExecutionData[] },
		) => {
			if (options.tables) return await options.tables.execute(info, inputData);
			throw new Error('Attempted to use Data table node but the module is disabled');
		},
		credentialsHelper: {
			getParentTypes: () => [],
			isCredentialUsableByNode: () => true,
			getDecrypted: async (...read: Parameters<ICredentialsHelper['getDecrypted']>) => {
				const stored = options.credential?.() ?? { apiKey: options.apiKey, baseUrl: options.url };
				return resolvedCredential(stored, read);
			},
			getCredentials: async () => ({ apiKey: options.apiKey, baseUrl: options.url }),
			preAuthentication: async () => undefined,
			authenticate: async (
				data: ICredentialDataDecryptedObject,
				_type: string,
				request: IHttpRequestOptions,
			) => {
				const signed = await new SpeechGatewayApi().authenticate(data, request);
				// For the simulator, which execution it is that asks.
				return { ...signed, headers: { ...signed.headers, 'x-execution': executionId } };
			},
		},
	} as unknown as IWorkflowExecuteAdditionalData;

	keyStore.faults.set(node.id, options.keyFault);
	const rounds = options.rounds ?? [options.items ?? [{ json: {} }]];
	const data =
		options.retryOf ??
		(options.asItWas && stored(options.asItWas.run)) ??
		createRunExecutionData({
			executionData: {
				contextData: {},
				nodeExecutionStack: rounds.map((items) => ({
					node: start,
					data: { main: [items] },
					source: null,
				})),
				metadata: {},
				waitingExecution: {},
				waitingExecutionSource: {},
			},
		});
	if (options.retryOf || options.asItWas) refuseOtherInput(options, data);
	if (options.retryOf) forRetry(data, workflow);
	const execute = new WorkflowExecute(additionalData, mode, data);
	const running = execute.processRunExecutionData(workflow);
	options.started?.({ cancel: () => running.cancel(), data });
	const over = new AbortController();
	if (timeoutSeconds !== undefined)
		void clock.wait(timeoutSeconds * 1000, over.signal).then(
			() => running.cancel(),
			() => {},
		);
	const run = await running;
	over.abort();
	const tasks = run.data.resultData.runData[NODE] ?? [];
	const task = tasks.at(-1);
	const outputsOf = (one?: ITaskData) => (one?.data?.main ?? []).map((output) => output ?? []);
	const toldOf = (one?: ITaskData) =>
		outputsOf(one).map((items) => items.map(told(options.parameters)));
	return {
		run,
		left: outputsOf(task),
		outputs: toldOf(task),
		rounds: tasks.map(toldOf),
		sentOn: (run.data.resultData.runData[nextTo(0)] ?? []).map((one) => outputsOf(one)[0].length),
		read: behind.map((_, output) =>
			outputsOf(run.data.resultData.runData[nextTo(output)]?.at(-1)).flatMap((items) =>
				items.map(({ json }) => json.read),
			),
		),
		error: (run.data.resultData.error ?? task?.error) as EngineResult['error'],
		context: (run.data.executionData?.contextData[`node:${NODE}`] ?? {}) as IDataObject,
		hints: (task?.hints ?? []).map(({ message }) => message),
		executionId,
	};
}

/** An item with what the node says of it as its json: the field of its resource, where it has that. */
export const told =
	({ resource }: IDataObject) =>
	(one: INodeExecutionData): INodeExecutionData => {
		const { json } = one;
		const own = json[resource === 'speechJob' ? 'speech' : String(resource)];
		const isOwn = !('error' in json) && typeof own === 'object' && own !== null;
		return isOwn ? { ...one, json: own as IDataObject } : one;
	};

/** The node, which lets the test see what each call returns. */
export function keeping(see: (made: INodeExecutionData[][]) => void): INodeType {
	const node = new SpeechGateway();
	const { execute } = node;
	node.execute = async function () {
		const made = await execute.call(this);
		see(made);
		return made;
	};
	return node;
}

/** As n8n's CredentialsHelper has it: `raw` as it is stored, else with its expressions resolved for an item. */
function resolvedCredential(
	stored: ICredentialDataDecryptedObject,
	[, , , mode, executeData, raw, values]: Parameters<ICredentialsHelper['getDecrypted']>,
): ICredentialDataDecryptedObject {
	if (raw || !values) return { ...stored };
	const { workflow, runExecutionData, runIndex, itemIndex, node, connectionInputData } = values;
	return workflow.expression.getParameterValue(
		{ ...stored } as never,
		runExecutionData,
		runIndex,
		itemIndex,
		node.name,
		connectionInputData,
		mode,
		{},
		executeData,
		false,
		{ ...stored } as never,
	) as ICredentialDataDecryptedObject;
}

/** Throws if a retry is called with items that it would not take: n8n begins with those of the failed execution. */
function refuseOtherInput({ items, rounds }: EngineRun, data: IRunExecutionData): void {
	const given = rounds ?? (items && [items]);
	if (!given) return;
	const done = (data.resultData.runData.Start ?? []).map(({ data: left }) => left?.main[0] ?? []);
	const waiting = data.executionData!.nodeExecutionStack.filter(
		({ node }) => node.name === 'Start',
	);
	const had = [...done, ...waiting.map((entry) => entry.data.main[0] ?? [])];
	const asText = (all: INodeExecutionData[][]) =>
		JSON.stringify(all.map((round) => round.map(({ json, binary }) => ({ json, binary }))));
	if (asText(given) !== asText(had))
		throw new Error('A retry has the input of the failed execution; these items would not be read');
}

/** What n8n does with the data of a failed execution before it runs it again with the currently saved workflow. */
function forRetry(data: IRunExecutionData, workflow: Workflow): void {
	const { lastNodeExecuted } = data.resultData;
	delete data.resultData.error;
	const runs = data.resultData.runData[lastNodeExecuted ?? ''];
	if (runs?.at(-1)?.error) runs.pop();
	for (const entry of data.executionData!.nodeExecutionStack) {
		const { name } = entry.node;
		const node = workflow.getNode(name);
		if (!node) throw new Error(`Could not find the node "${name}" in workflow.`);
		entry.node = node;
	}
}

/** Data of a failed execution, as it comes back from the database. */
export function saved(run: IRun): IRunExecutionData {
	return structuredClone(run.data);
}

/** The same in the form in which n8n stores it, which keeps what is shared shared. */
const stored = (run: Pick<IRun, 'data'>): IRunExecutionData =>
	parse(stringify(run.data)) as IRunExecutionData;

/**
 * Parameters of Speech → Generate, or of another operation, which takes of them what its form has; no retries of its own, so
 * that a test sees the first answer's consequence.
 */
export function speechNode(options: IDataObject = {}, more: IDataObject = {}): IDataObject {
	const { resource = 'speech', operation = 'generate' } = more;
	const usual: IDataObject = {
		model: { __rl: true, mode: 'id', value: 'fish-speech' },
		text: '={{ $json.text }}',
		options: { maxRetries: 0 },
	};
	return fitting(String(resource), String(operation), usual, { ...more, options });
}

/** A batch of jobs that are waited for. */
export const jobNode = (options: IDataObject = {}): IDataObject =>
	speechNode(options, { resource: 'speechJob', operation: 'createAndWait' });

/** Items with an `id` and a `text` each; no text is part of another. */
export const texts = (count: number): INodeExecutionData[] =>
	Array.from({ length: count }, (_, index) =>
		item({ id: index, text: `Sentence number ${index}.` }),
	);

/** A simulator for the tests of a file, in virtual time unless told otherwise; each test begins with nothing asked of it. */
export function useSimulator(options?: SimulatorOptions, time?: 'real'): Simulator {
	if (time !== 'real') clock.useVirtualTime();
	const sim = new Simulator(options);
	beforeAll(async () => void (await sim.listen()));
	afterAll(async () => await sim.close());
	beforeEach(() => sim.reset());
	return sim;
}

/** Runs the node against a simulator: one spoken text, unless the tests of a file, or a test, say otherwise. */
export const runnerOf =
	(sim: Pick<Simulator, 'url' | 'apiKey'>, usual: () => Partial<EngineRun> = () => ({})) =>
	async (more: Partial<EngineRun> = {}): Promise<EngineResult> => {
		const defaults: EngineRun = {
			parameters: speechNode(),
			url: sim.url,
			apiKey: sim.apiKey,
			items: texts(1),
			...usual(),
		};
		const isRetry = more.retryOf !== undefined || more.asItWas !== undefined;
		const own = isRetry ? { items: undefined, rounds: undefined } : {};
		return await runNode({ ...defaults, ...own, ...more });
	};

/** Runs what n8n offers "Retry execution" for, with such a runner. */
export const retrierOf =
	(run: ReturnType<typeof runnerOf>) =>
	async ({ run: failed }: EngineResult, more: Partial<EngineRun> = {}): Promise<EngineResult> =>
		await run({ mode: 'retry', retryOf: saved(failed), ...more });

export const item = (json: IDataObject): INodeExecutionData => ({ json });

/** Deletes a file of n8n's store, as n8n does with those of old executions. */
export async function deleteStored(file: IBinaryData): Promise<void> {
	rmSync(Container.get(BinaryDataService).getPath(file.id!));
}
