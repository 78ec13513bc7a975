import type { IDataObject } from 'n8n-workflow';
import type { SimRequest } from '../../support/simulator';
import { renderAudio } from '../../support/simulator/audio';
import { isCharged } from '../../support/simulator/answers';
import { type Came, type Execution, keyOf, type Story } from './play';
import { isCut, type Kind, parametersOf, type Settings } from './scenario';

/** What the contract says of an answer; shares no code with the node. */
type Verdict = 'done' | 'unknown' | 'free';

/** Nothing was charged, whoever says so. */
const FREE_FROM_ANYONE = new Set([429, 521, 523, 525, 526]);
/** Where a page of 524 is not charged, by the gateway's document; stories have it elsewhere from a proxy. */
const FREE_WHEN_CUT = /^\/v1\/audio\/speech(\/jobs)?$/;

export function verdict({ status, fault = {}, aborted, path, recorded }: SimRequest): Verdict {
	if (status === undefined || [408, 460, 499, 504].includes(status)) return 'unknown';
	// A refusal need not be read to its end.
	if (aborted && !(status >= 400 && status < 500) && status !== 524) return 'unknown';
	if (status < 300) {
		const { truncate, corrupt, body } = fault;
		const damaged = truncate !== undefined || corrupt || body !== undefined;
		return damaged || recorded ? 'unknown' : 'done';
	}
	if (recorded) return isCharged(recorded) ? 'unknown' : 'free';
	if (status < 400) return isSameElsewhere(fault.redirect ?? '', path) ? 'free' : 'unknown';
	if (status === 524) {
		// Of its own words, or where it was too slow, whatever else was to go wrong.
		const isOwn = fault.body !== undefined || fault.status !== 524;
		return isOwn || (FREE_WHEN_CUT.test(path) && !fault.proxy) ? 'free' : 'unknown';
	}
	if (status < 500 || FREE_FROM_ANYONE.has(status)) return 'free';
	return fault.proxy ? 'unknown' : 'free';
}

/** All redirects of stories to another host are permanent. */
const isSameElsewhere = (redirect: string, path: string): boolean =>
	URL.canParse(redirect) && new URL(redirect).pathname === path;

/** `round-item-part` of all sentences in a text. */
export const sentencesOf = (text = ''): string[] =>
	[...text.matchAll(/Round (\d+) item (\d+) part (\d+),/gi)].map(([, ...at]) => at.join('-'));
const itemOf = (text = ''): string =>
	/Round (\d+) item (\d+) /i.exec(text)?.slice(1).join('-') ?? '';
/** Which of an item's texts it is: corrected or not, and as it was made anew for which attempt. */
const versionOf = (text = ''): string =>
	[/round/i, /take \d+/i].map((one) => one.exec(text)).join();
const sentencesIn = ({ scenario }: Story, name: string): number => {
	const [round, item] = name.split('-').map(Number);
	return scenario.rounds[round]?.[item]?.sentences.length ?? 0;
};
const nameOf = ({ round, item }: Came): string => `${round}-${item}`;

/** The segments of the earlier file that an item comes with, as far as they are in its text; in a script, none goes over two lines. */
function knownOf(story: Story, kind: Kind, name: string): Array<{ parts: number[]; text: string }> {
	const total = sentencesIn(story, name);
	const segments = story.previous.get(name)?.segments ?? [];
	return segments
		.map((text) => ({ text, parts: partsOf(text) }))
		.filter(({ parts }) => parts.length > 0 && parts.every((part) => part < total))
		.filter(({ parts }) => kind !== 'dialogue' || new Set(parts.map(lineOf)).size === 1);
}

const lineOf = (part: number): number => Math.floor(part / 2);

/** The promises of the contract that the story breaks, in words; of a good story, none. */
export function judge(story: Story): string[] {
	if (story.scenario.costsNothing) return [...atNoCharge(story)];
	const broken = [
		...sentOnce(story),
		...finishesFirst(story),
		...reuses(story),
		...paidByOwn(story),
	];
	for (const [number, execution] of story.executions.entries()) {
		const here = [
			...everyItemOnce(story, execution),
			...shapes(execution),
			...(isCut(execution.kind) ? [] : namesTasks(story, execution)),
			...nothingLeft(story, execution),
			...sendingStops(story, execution),
			...holdsPass(execution),
			...withinLimit(story, execution),
			...stopsOwnOnly(story, execution),
		];
		broken.push(...here.map((what) => `Execution ${number}: ${what}`));
	}
	const asAWhole = [nothingLost, keysKept, givesAgain, chargesTold];
	return [...broken, ...asAWhole.flatMap((rule) => [...rule(story)])];
}

type Complaints = Generator<string, void>;

/** Where nothing is charged, nothing speaks of it, nothing is unknown but what n8n itself has done, and an error frees its key. */
function* atNoCharge(story: Story): Complaints {
	const { scenario, executions, afterwards } = story;
	const all = [...executions, ...(afterwards ? [afterwards] : [])];
	for (const [number, execution] of all.entries()) {
		const here = [
			...everyItemOnce(story, execution),
			...shapes(execution),
			...nothingLeft(story, execution),
		];
		yield* here.map((what) => `Execution ${number}: ${what}`);
		for (const one of execution.came) {
			if (one.branch === 'unknown' && !HAPPENS_IN_N8N.has(String(one.json.reason)))
				yield `Unknown where nothing is charged: ${describe(one)}`;
			const { message, description, advice, charges } = (one.json.error ?? one.json) as IDataObject;
			// Of a credential that cannot be read, nobody knows it.
			const isRead = execution.step.credentialBreaksAt === undefined;
			if (isRead && (charges || /\bcharge/i.test([message, description, advice].join(' '))))
				yield `Speaks of charges where there are none: ${describe(one)}`;
			// Of what is given again, others may have sent a part before, and failed.
			if (one.branch === 'success' && !one.json.replayed) yield* isRight(story, execution, one);
		}
	}
	if (!afterwards || executions.some(({ step, cancelled }) => step.keyFault || cancelled)) return;
	for (const [round, items] of scenario.rounds.entries())
		for (const item of items.keys()) {
			const of = (one: Came) => one.round === round && one.item === item;
			const before = executions.flatMap(({ came }) => came.filter(of));
			const later = afterwards.came.find(of);
			if (before.every(({ branch }) => branch === 'error') && later?.json.reason === 'already_sent')
				yield `The key of item ${round}-${item} is stuck after errors that cost nothing`;
		}
}

const HAPPENS_IN_N8N = new Set(['interrupted', 'not_stored', 'already_sent']);

/** No request that may have been charged was sent again, nor, in an execution and its retries, one that was cut. */
function* sentOnce(story: Story): Complaints {
	const maybe = new Map<string, SimRequest>();
	for (const request of story.sim.requests) {
		if (request.method !== 'POST') continue;
		const sentences = sentencesOf(request.input);
		// Corrected words of an item of several parts are other requests; an item of a single one is finished as it was paid for.
		const isPart = sentences.length < sentencesIn(story, itemOf(request.input));
		const words = isPart ? versionOf(request.input) : '';
		for (const key of sentences.map((name) => words + name)) {
			const before = maybe.get(key);
			if (before)
				yield `Sent again: ${show(request)} after ${show(before)}, which may have been charged`;
			if (verdict(request) !== 'free' || request.charged > 0) maybe.set(key, request);
		}
	}
	for (const execution of story.executions) {
		const cut = new Set<string>();
		for (const request of chain(story, execution).flatMap(({ requests }) => requests)) {
			const { path, input, body, status } = request;
			const { speed } = (body ?? {}) as { speed?: number };
			const asked = JSON.stringify([path, input, speed]);
			if (cut.has(asked)) yield `Sent again: ${show(request)} after a 524`;
			if (status === 524) cut.add(asked);
		}
	}
}

/** What has not changed since the previous version is not sent. */
function* reuses(story: Story): Complaints {
	const isChanged = ({ settings, step }: Execution) =>
		settings.changedText ||
		settings.anew ||
		settings.speed ||
		settings.longText === 'single' ||
		step.switched;
	if (story.executions.some(isChanged)) return;
	for (const request of story.sim.requests.filter(({ method }) => method === 'POST')) {
		for (const key of sentencesOf(request.input)) {
			const part = Number(key.split('-')[2]);
			if (knownParts(story, itemOf(request.input)).has(part))
				yield `Sent although it is in the previous version: ${show(request)}`;
		}
	}
}

const knownParts = (story: Story, name: string): Set<number> =>
	new Set(knownOf(story, story.scenario.kind, name).flatMap(({ parts }) => parts));

/** As long as nobody changes the node, what was begun is finished, whatever an expression makes of the text since. */
function* finishesFirst(story: Story): Complaints {
	for (const execution of story.executions) {
		const all = chain(story, execution).filter(({ requests }) => requests.length > 0);
		const asNow = settingsOf(execution);
		if (all.some((one) => settingsOf(one) !== asNow)) continue;
		const begun = new Map<string, string>();
		for (const request of all.flatMap(({ requests }) => requests)) {
			const item = itemOf(request.input);
			if (request.method !== 'POST' || item === '') continue;
			const version = versionOf(request.input);
			const first = begun.get(item);
			if (first !== undefined && first !== version)
				yield `Begun with "${first}", and gone on with "${version}": ${show(request)}`;
			if (verdict(request) !== 'free') begun.set(item, version);
		}
	}
}

const settingsOf = ({ kind, settings }: Execution): string =>
	JSON.stringify(parametersOf(kind, settings, ''));

/** Each row is paid by its own account. */
function* paidByOwn(story: Story): Complaints {
	const payers = new Map<unknown, string>();
	for (const request of story.sim.requests.filter(({ method }) => method === 'POST')) {
		const [round, item] = itemOf(request.input).split('-').map(Number);
		if (request.apiKey !== keyOf(story, round, item)) yield `Paid by another: ${show(request)}`;
	}
	for (const { round, item, branch, json } of story.executions.flatMap(({ came }) => came)) {
		const { paidBy } = (json.settle ?? {}) as { paidBy?: string };
		if (branch !== 'unknown' || paidBy === undefined) continue;
		const key = keyOf(story, round, item);
		if ((payers.get(paidBy) ?? key) !== key) yield `Named as paid by another: ${round}-${item}`;
		payers.set(paidBy, key);
	}
}

/** Where nothing concerns an account as a whole, none of its rows is left unsent. */
function* stopsOwnOnly(story: Story, { came, result, storeFailed }: Execution): Complaints {
	const { sim, executions } = story;
	if (result.run.status !== 'success' || storeFailed) return;
	if (executions.some((one) => one.storeFailed)) return;
	for (const { apiKey } of sim.accounts) {
		const sent = sim.requests.filter((one) => one.method === 'POST' && one.apiKey === apiKey);
		const concernsAll = (one: SimRequest) =>
			verdict(one) === 'unknown' || one.recorded || [401, 402, 403].includes(one.status ?? 0);
		if (sent.some(concernsAll)) continue;
		for (const { round, item, json } of came)
			if (keyOf(story, round, item) === apiKey && NOT_SENT.test(JSON.stringify(json.error ?? '')))
				yield `Not sent for another account's sake: ${round}-${item} ${JSON.stringify(json.error)}`;
	}
}

const NOT_SENT = /: not sent|This item was not sent/;

function* everyItemOnce(
	{ scenario }: Story,
	{ came, result, cancelled, healing }: Execution,
): Complaints {
	const { status, data } = result.run;
	if (healing && status !== 'success')
		yield `after all faults have passed: ${status} ${result.error?.message}`;
	const finished = data.resultData.runData['Speech Gateway'] ?? [];
	for (const [round, items] of scenario.rounds.entries()) {
		const of = came.filter((one) => one.round === round);
		const counts = items.map((_, index) => of.filter(({ item }) => item === index).length);
		const wrong = counts.findIndex((count) => count > 1);
		if (wrong >= 0) yield `round ${round}: item ${wrong} came out ${counts[wrong]} times`;
		for (const branch of new Set(of.map((one) => one.branch))) {
			const order = of.filter((one) => one.branch === branch).map(({ item }) => item);
			if (order.some((item, at) => item < order[at - 1]))
				yield `round ${round}: ${branch} has items out of order: ${order.join()}`;
		}
		const missing = counts.findIndex((count) => count === 0);
		const failed = finished[round]?.error ?? (status === 'error' && !finished[round]);
		if (missing >= 0 && !failed && !cancelled)
			yield `round ${round}: item ${missing} is on no output, and the run is a ${status}`;
	}
}

/** Unknown outcomes in a row after which a run sends nothing more. */
const MOST_UNKNOWN_IN_A_ROW = 3;

/** After an outage, one request may try when this time has passed, ms. */
const PAUSE_MS = 60_000;

/** After an outage or a refusal of the whole account, no further billed request of the execution starts for a while. */
function* sendingStops(story: Story, { requests, settings }: Execution): Complaints {
	// Each of n8n's own retries asks once more whether the account is still refused.
	if (settings.maxTries) return;
	for (const { apiKey } of story.sim.accounts)
		yield* accountStops(requests.filter((one) => one.method === 'POST' && one.apiKey === apiKey));
}

function* accountStops(sent: SimRequest[]): Complaints {
	const closers = sent.filter((one) => !isNeutral(one) && verdict(one) !== 'unknown');
	let row: SimRequest[] = [];
	let stoppedAt = Infinity;
	for (const ended of [...sent].sort((a, b) => endOf(a) - endOf(b))) {
		if (!isNeutral(ended) && verdict(ended) === 'unknown') {
			// Of what is under way at the same time, the node may see another end first.
			const first = row[0] ?? ended;
			const isClosed = closers.some((one) => one.at <= endOf(ended) && endOf(one) >= endOf(first));
			row = isClosed ? [ended] : [...row, ended];
		}
		if (row.length === MOST_UNKNOWN_IN_A_ROW || ended.status === 401 || ended.status === 402)
			stoppedAt = Math.min(stoppedAt, endOf(ended));
	}
	const late = sent.find(({ at }) => at > stoppedAt && at < stoppedAt + PAUSE_MS);
	if (late) yield `Sent although the execution had stopped sending: ${show(late)}`;
}

/** Refused for money that the gateway may have set aside for others: no fault, and the only 403 of these stories. */
const isHeld = ({ method, status, fault, recorded }: SimRequest) =>
	method === 'POST' && status === 403 && !recorded && (!fault || fault.delayMs !== undefined);

/** What is refused while others in flight may hold the money is sent again, unless sending has stopped since. */
function* holdsPass({ requests, result, cancelled, settings, storeFailed }: Execution): Complaints {
	if (cancelled || storeFailed || settings.onError === 'stopWorkflow') return;
	if (result.run.status !== 'success') return;
	const sent = requests.filter(({ method }) => method === 'POST');
	const isAmong = (one: SimRequest) =>
		sent.some(
			(other) =>
				other.apiKey === one.apiKey && other.index < one.index && endOf(other) > endOf(one),
		);
	const hasStopped = sent.some(
		(one) =>
			[401, 402].includes(one.status ?? 0) ||
			verdict(one) === 'unknown' ||
			(one.status === 403 && !isAmong(one)),
	);
	if (hasStopped) return;
	const hasFailed = (item: string) =>
		sent.some((one) => itemOf(one.input) === item && one.status! >= 300 && !isHeld(one));
	for (const refused of sent.filter((one) => isHeld(one) && !hasFailed(itemOf(one.input))))
		if (!sent.some(({ input, index }) => input === refused.input && index > refused.index))
			yield `Lost to money that was set aside for others: ${show(refused)}`;
}

/** What an execution and those that it retries are charged stays within a limit that was set from the first on. */
function* withinLimit(story: Story, execution: Execution): Complaints {
	const { limit } = execution.settings;
	const all = chain(story, execution);
	const requests = all.flatMap((one) => one.requests);
	if (!limit || !isSpeech(execution.kind) || requests.some(({ recorded }) => recorded)) return;
	if (all.some(({ settings }) => settings.limit !== limit)) return;
	const indices = new Set(requests.map(({ index }) => index));
	const charged = story.charges
		.filter(({ requestIndex }) => indices.has(requestIndex))
		.reduce((sum, { tokens }) => sum + tokens, 0);
	if (charged > limit) yield `${charged} tokens were charged, the limit is ${limit}`;
}

const isSpeech = (kind: Kind): boolean =>
	isCut(kind) || kind.endsWith('Job') || kind === 'createAndWait';

/** Each request that was charged is told, and once in an execution, where nothing but the gateway has failed. */
function* chargesTold(story: Story): Complaints {
	const { sim, scenario, afterwards } = story;
	const executions = [...story.executions, ...(afterwards ? [afterwards] : [])];
	const isOdd = ({ cancelled, step, storeFailed }: Execution) =>
		cancelled || storeFailed || step.keyFault || step.switched || step.filesDeleted;
	if (executions.some(isOdd) || scenario.twice) return;
	const told = new Set<string>();
	const { dialect } = scenario.at;
	const costs = new Map(
		story.charges.map(({ requestIndex, tokens }) => [sim.requests[requestIndex].requestId, tokens]),
	);
	for (const { came, earlierRounds } of executions) {
		const toldHere = new Set<string>();
		for (const { json } of came.filter(({ round }) => round >= earlierRounds)) {
			const { charges } = (json.error ?? json) as { charges?: Charge[] };
			for (const { requestId, charged, tokens } of charges ?? []) {
				if (!requestId) continue;
				if (toldHere.has(requestId)) yield `Told twice in an execution: ${requestId}`;
				toldHere.add(requestId);
				told.add(requestId);
				const cost = costs.get(requestId);
				if (charged !== 'yes' || dialect !== 'document') continue;
				if (cost === undefined) yield `Told as charged, and was not: ${requestId}`;
				else if (tokens !== undefined && (tokens < cost || tokens >= cost + MOST_ROUNDED))
					yield `Told as ${tokens} tokens, and cost ${cost}: ${requestId}`;
			}
		}
	}
	for (const request of sim.requests)
		if (request.method === 'POST' && verdict(request) === 'done' && !told.has(request.requestId))
			yield `Charged, and not told: ${show(request)}`;
}

interface Charge {
	requestId?: string;
	charged: 'yes' | 'unknown';
	tokens?: number;
}

/** Seconds and tokens are whole ones: 1,000 tokens a minute, and one. */
const MOST_ROUNDED = 1 + 1000 / 60 + 1;

/** Says nothing about whether the gateway works. */
const isNeutral = (request: SimRequest): boolean => {
	const { status = 0 } = request;
	if (status === 524) return verdict(request) === 'free';
	return verdict(request) === 'unknown' && status >= 200 && status < 300;
};

const endOf = ({ endedAt = Infinity }: SimRequest) => endedAt;

/** What n8n and the user need of each item. */
function* shapes({ came }: Execution): Complaints {
	for (const one of came) {
		const { branch, json } = one;
		const where = `${branch} item ${nameOf(one)}`;
		if (branch !== 'error' && 'error' in json) yield `${where} has a key "error"`;
		if (branch === 'error' && !json.error) yield `${where} has no error`;
		if (branch === 'success' && json.outcome === 'unknown') yield `${where} is unknown`;
		if (branch === 'unknown') {
			const wanted = ['outcome', 'reason', 'message', 'advice', 'operation', 'sentAt', 'endedAt'];
			const missing = wanted.find((key) => json[key] === undefined);
			if (missing) yield `${where} has no ${missing}`;
		}
	}
}

/** An execution and those that it is a retry of. */
const chain = (story: Story, execution: Execution): Execution[] =>
	execution.retryOf === undefined
		? [execution]
		: [...chain(story, story.executions[execution.retryOf]), execution];

/** The id of a job or video that was accepted is in every item that comes out. */
function* namesTasks(story: Story, execution: Execution): Complaints {
	// When the execution was stopped, the answer with the id may not have been read.
	const accepted = chain(story, execution)
		.flatMap(({ requests, cancelled }) => (cancelled ? [] : requests))
		.filter((request) => request.method === 'POST' && verdict(request) === 'done');
	for (const one of execution.came.filter(({ json }) => json.reason !== 'already_sent')) {
		for (const { input } of accepted.filter((request) => itemOf(request.input) === nameOf(one))) {
			const tasks = [...story.sim.jobs, ...story.sim.videos].filter((task) => task.input === input);
			const unnamed = tasks.find(({ id }) => !JSON.stringify(one.json).includes(id));
			if (unnamed)
				yield `${one.branch} item ${nameOf(one)} does not name ${unnamed.id}: ${JSON.stringify(one.json)}`;
		}
	}
}

/** After a success nothing stays in the execution's data but what keeps later rounds from sending. */
function* nothingLeft(story: Story, execution: Execution): Complaints {
	const { result, cancelled, came } = execution;
	if (result.run.status !== 'success' || cancelled) return;
	const kept = { ...result.context };
	const isLimited = chain(story, execution).some(({ settings }) => settings.limit);
	if (isLimited || came.some(({ branch }) => branch !== 'success'))
		delete kept.speechGatewayExecution;
	const left = JSON.stringify(kept);
	if (left !== '{}') yield `left in the context after a success: ${left}`;
}

/** Everything charged was delivered, attached, reported as unknown, or is on record where it can be retried. */
function* nothingLost(story: Story): Complaints {
	const { sim, afterwards } = story;
	const executions = [...story.executions, ...(afterwards ? [afterwards] : [])];
	const came = executions.flatMap((execution) => execution.came);
	const cut = executions.flatMap((execution) => (execution.cancelled ? execution.came : []));
	for (const request of sim.requests) {
		if (request.method !== 'POST' || verdict(request) === 'free') continue;
		const item = itemOf(request.input);
		const of = came.filter((one) => nameOf(one) === item);
		const lost = (what: string) =>
			`${what}: ${show(request)}; came out: ${of.map(describe).join(' | ') || 'nothing'}`;
		const onRecord = executions.some(
			({ cancelled, requests, result }) =>
				cancelled && requests.includes(request) && JSON.stringify(result.context) !== '{}',
		);
		if (verdict(request) === 'unknown') {
			if (of.some(saysUnknown) || onRecord) continue;
			// What the gateway did not do costs nothing; still the user has to hear of it.
			yield lost('Unknown, and nobody was told');
		}
		// A request that was on its way when the run was stopped may arrive even later.
		if (cut.some((one) => nameOf(one) === item && one.branch === 'unknown')) continue;
		if (of.some((one) => wasDeleted(one)) || wasNotStored(executions, request, of)) continue;
		if (wasCorrected(story, executions, request)) continue;
		if (!of.some((one) => delivers(story, one, request)) && !onRecord) yield lost('Paid and lost');
	}
	for (const execution of executions)
		for (const one of execution.came)
			if (one.branch === 'success') yield* isRight(story, execution, one);
}

/** Also in the error of a node that does something else by now. */
const saysUnknown = ({ branch, json }: Came) =>
	branch === 'unknown' ||
	(json.error as { paid?: { outcome?: string } } | undefined)?.paid?.outcome === 'unknown';

/** The user has deleted what was paid for, and is told so. */
const wasDeleted = ({ json }: Came) =>
	JSON.stringify(json).includes("is no longer in n8n's storage");

/** What came could not be stored, and the user is told that the outcome is unknown. */
const wasNotStored = (executions: Execution[], request: SimRequest, of: Came[]) =>
	executions.some(({ storeFailed, requests }) => storeFailed && requests.includes(request)) &&
	of.some((one) => saysUnknown(one) || JSON.stringify(one.json).includes('no space left'));

/** The user has changed the words, or changed them back, and all of the item is spoken with these, or some of it is unknown. */
function wasCorrected(story: Story, executions: Execution[], request: SimRequest): boolean {
	if (!isCut(story.scenario.kind)) return false;
	const { input } = request;
	const first = executions.find(({ requests }) => requests.includes(request));
	const isOther = (version: string) => version !== versionOf(input);
	return executions.some((execution) =>
		execution.came
			.filter((one) => nameOf(one) === itemOf(input))
			.some((one) =>
				one.branch === 'success'
					? versionsPaid(story, execution, one).some(
							(each) => isOther(each) && [...isSoundOf(story, execution, one, each)].length === 0,
						)
					: one.branch === 'unknown' &&
						!isSameAs(execution.settings, first?.settings) &&
						sentFor(story, execution, one).some((each) => isOther(versionOf(each.input))),
			),
	);
}

const isSameAs = (one: Settings, other?: Settings): boolean =>
	JSON.stringify(one) === JSON.stringify(other);

/** The versions of an item's text of which something was spoken, and the one of its previous version. */
const versionsPaid = (story: Story, execution: Execution, one: Came): string[] => [
	...new Set([
		...paidFor(story, execution, one).map(({ input }) => versionOf(input)),
		...(story.previous.get(nameOf(one))?.segments ?? []).map(versionOf),
	]),
];

const paidFor = (story: Story, execution: Execution, one: Came): SimRequest[] =>
	sentFor(story, execution, one).filter((request) => verdict(request) === 'done');

const sentFor = (story: Story, execution: Execution, one: Came): SimRequest[] =>
	// What is given again, another execution has paid.
	(one.json.replayed
		? story.sim.requests
		: chain(story, execution).flatMap(({ requests }) => requests)
	).filter(({ method, input }) => method === 'POST' && itemOf(input) === nameOf(one));

/** Whether an item brings what the request was paid for. */
function delivers(story: Story, { json, files, branch }: Came, request: SimRequest): boolean {
	const { sim } = story;
	if (request.path.endsWith('/speech')) {
		const sound = samplesOf(story, request);
		return Object.values(files).some((file) => file.includes(sound));
	}
	if (request.path.endsWith('/completions'))
		return branch === 'success' && String(json.text).includes(request.input!);
	const made = [...sim.jobs, ...sim.videos]
		.filter(({ input }) => input === request.input)
		.map(({ id }) => id);
	const voices = sim.voices.filter(({ title }) => title === request.input).map(({ _id }) => _id);
	const text = JSON.stringify(json);
	return [...made, ...voices].some((id) => text.includes(id));
}

/** The sound of a request's text, as samples without any header. */
function samplesOf(
	{ sim }: Story,
	{ input = '', body }: Pick<SimRequest, 'input' | 'body'>,
): Buffer {
	const { speed = 1 } = (body ?? {}) as { speed?: number };
	const seconds = ([...input].length * sim.options.secondsPerCharacter) / speed;
	return Buffer.concat([...renderAudio(input, seconds, 'pcm').chunks()]);
}

const WAV_HEADER_BYTES = 44;

/** A success has the sound of its whole text, as it was or as it was corrected, in order, and nothing else. */
function* isRight(story: Story, execution: Execution, one: Came): Complaints {
	if (!isCut(story.scenario.kind)) return;
	const versions = versionsPaid(story, execution, one);
	const complaints = versions.map((version) => [...isSoundOf(story, execution, one, version)]);
	if (complaints.length === 0) yield `Success of item ${nameOf(one)}, of which nothing was spoken`;
	else if (complaints.every(({ length }) => length > 0)) yield* complaints[0];
}

function* isSoundOf(story: Story, execution: Execution, one: Came, version: string): Complaints {
	const paid = paidFor(story, execution, one)
		.filter(({ input }) => versionOf(input) === version)
		.map((request) => ({ parts: partsOf(request.input), sound: samplesOf(story, request) }));
	const isPaid = (part: number) => paid.some(({ parts }) => parts.includes(part));
	const total = story.scenario.rounds[one.round][one.item].sentences.length;
	const reused = knownOf(story, execution.kind, nameOf(one))
		.filter(({ text, parts }) => versionOf(text) === version && !parts.some(isPaid))
		.map(({ text, parts }) => ({ parts, sound: samplesOf(story, { input: text }) }));
	const heard = [...paid, ...reused].sort((a, b) => a.parts[0] - b.parts[0]);
	const parts = heard.flatMap((segment) => segment.parts);
	const whole = Buffer.concat(heard.map(({ sound }) => sound));
	const { data } = one.files;
	// Behind the sound may be tags, and the record of parts.
	const sound = data?.subarray(WAV_HEADER_BYTES, WAV_HEADER_BYTES + data.readUInt32LE(40));
	if (parts.length !== total || !sound?.equals(whole))
		yield `Success of item ${nameOf(one)} is not the sound of its text: ${data?.length} bytes, ${whole.length} expected, parts ${parts.join()} of ${total}`;
	else if ((one.json.reusedSegments ?? 0) !== reused.length)
		yield `Success of item ${nameOf(one)} has ${reused.length} segments of its previous version, but says ${String(one.json.reusedSegments)}`;
}

const partsOf = (input?: string): number[] =>
	sentencesOf(input).map((key) => Number(key.split('-')[2]));

/** The gateway was asked whose a page of 524 is, and was not understood. */
export const isProbeLost = ({ requests }: Story['sim']): boolean =>
	requests.some(({ path, fault }) => path.endsWith('/spj_none') && fault !== undefined);

/** With a Send Once Key, a later execution sends just what was certainly not charged. */
function* keysKept(story: Story): Complaints {
	const { sim, afterwards, executions, scenario } = story;
	if (!afterwards || executions.some(({ step, cancelled }) => step.keyFault || cancelled)) return;
	if (isProbeLost(sim)) return;
	for (const [round, items] of scenario.rounds.entries()) {
		for (const index of items.keys()) {
			const item = `${round}-${index}`;
			const maybe = sim.requests.some(
				(request) =>
					request.method === 'POST' &&
					!afterwards.requests.includes(request) &&
					itemOf(request.input) === item &&
					verdict(request) !== 'free',
			);
			const sent = afterwards.requests.some(
				({ input, method }) => method === 'POST' && itemOf(input) === item,
			);
			const known = knownParts(story, item);
			const isAllKnown = items[index].sentences.every((_, part) => known.has(part));
			if (!maybe && !sent && !isAllKnown)
				yield `The Send Once Key of item ${item} is stuck although nothing was charged`;
		}
	}
}

/** With "Give the Result Again", a later execution gets what was delivered, with the same bytes, for nothing. */
function* givesAgain(story: Story): Complaints {
	const { sim, afterwards, executions } = story;
	for (const { came } of executions)
		for (const one of came)
			if (one.json.replayed && JSON.stringify(one.json.charges) !== '[]')
				yield `Given again, and charged: ${describe(one)}`;
	if (!afterwards || executions.some(({ settings }) => isAnother(settings))) return;
	if (executions.some(({ step }) => step.switched || step.filesDeleted || step.keyFault)) return;
	const delivered = executions
		.flatMap(({ came }) => came)
		.filter((one) => one.branch === 'success');
	for (const one of delivered) {
		// All of it may have been in its previous version, which costs nothing.
		const isPaid = sim.requests.some(
			({ input, charged }) => charged && itemOf(input) === nameOf(one),
		);
		if (one.json.replayed || !isPaid) continue;
		const later = afterwards.came.find((other) => nameOf(other) === nameOf(one));
		const files = Object.values(later?.files ?? {});
		if (
			!later?.json.replayed ||
			!Object.values(one.files).every((file, at) => file.equals(files[at]))
		)
			yield `Delivered, and not given again: ${describe(one)}; later: ${later && describe(later)}`;
	}
}

/** Whether what a row asks for is not the same in all executions. */
const isAnother = ({
	again,
	anew,
	changedText,
	speed,
	title,
	longText,
	maxSegmentCharacters,
}: Settings) =>
	!again || anew || changedText || speed || title || longText || maxSegmentCharacters === 1000;

const show = ({
	index,
	method,
	path,
	input,
	status,
	fault,
	charged,
	aborted,
}: SimRequest): string =>
	`#${index} ${method} ${path} "${input ?? ''}" → ${status ?? 'no answer'}${aborted ? ' (client left)' : ''}${charged ? ', charged' : ''}${fault ? ` [${showFault(fault)}]` : ''}`;
const showFault = (fault: object) =>
	JSON.stringify(fault, (key, value: unknown) =>
		['method', 'path', 'input', 'seen', 'used'].includes(key) ? undefined : value,
	);
const describe = ({ branch, json, files }: Came): string =>
	`${branch} ${JSON.stringify(json).slice(0, 400)} files ${Object.entries(files)
		.map(([name, file]) => `${name} (${file.length})`)
		.join()}`;

/** The story in words, for whoever has to mend what is broken. */
export function tell({ scenario, executions, afterwards }: Story): string {
	const lines = [`${scenario.kind}, settings ${JSON.stringify(scenario.settings)}`];
	const all = [...executions, ...(afterwards ? [afterwards] : [])];
	for (const [number, execution] of all.entries()) {
		const { retryOf, healing, step, settings, cancelled, result, came, requests } = execution;
		lines.push(
			`Execution ${number}${retryOf === undefined ? '' : `, retry of ${retryOf}`}${healing ? ' (healing)' : ''}: ${result.run.status}${cancelled ? ' (cancelled)' : ''} step ${JSON.stringify(step)} settings ${JSON.stringify(settings)}`,
			...(result.error ? [`  error: ${result.error.message}`] : []),
			...requests.map((request) => `  ${show(request)}`),
			...came.map((one) => `  ${nameOf(one)}: ${describe(one)}`),
			`  context: ${JSON.stringify(result.context).slice(0, 1500)}`,
		);
	}
	return lines.join('\n');
}
