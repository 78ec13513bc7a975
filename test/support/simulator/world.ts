/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
/** What the simulated service knows: accounts, what they own, what they were charged, and every request seen. */
import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';

import { now } from '../clock';
import type { RecordedAnswer } from './answers';
import type { Audio, AudioFormat, WavHeader } from './audio';
import type { Price } from './billing';
import { type Dialect, type DialectName, DIALECTS } from './dialects';
import type { Fault } from './faults';
import type { Pricing } from './pricing';
import type { LogOptions } from './usageLog';

export type ChargeKind = 'speech' | 'job' | 'voice' | 'chat' | 'video';

export interface SimulatorOptions {
	/** Which gateway it behaves as; default: the API description's own. */
	dialect?: DialectName;
	/** 0: a free port of 127.0.0.1. */
	port?: number;
	/** Real seconds for each second of the service: 0.01 makes the limit of 100 s one second. */
	timeScale?: number;
	/** Work time of one speech or chat request in real ms; without it, in proportion to the text. */
	latencyMs?: number | ((request: SimRequest) => number);
	/** Ms for which something in front of the gateway holds a POST request; the client's leaving changes nothing. */
	holdMs?: number | ((request: SimRequest) => number);
	/** Texts are spoken, as long as that takes, instead of played as melodies that tests can tell apart. */
	spoken?: boolean;
	/** Speech has silence at its edges as that of real voices: 0 to 0.26 s before it, 0.3 to 1.1 s behind it. */
	silentEdges?: boolean;
	/** More fields that speech takes, and ignores. */
	speechFields?: string[];
	/** Seconds of a melody for each character at speed 1; the real service is near 60/250. */
	secondsPerCharacter?: number;
	/** Real seconds that a job or video takes; without it, in proportion to the text. */
	jobSeconds?: number | ((job: { id: string; input: string }) => number);
	/** Balance of the default account in tokens. */
	balanceTokens?: number;
	/** Quota of the default account's key, in tokens. */
	keyTokens?: number;
	/** POST requests of a key within so many seconds; in memory it is refused without a body, in Redis in JSON. */
	rateLimit?: { seconds: number; requests?: number; successes?: number; in: 'memory' | 'redis' };
	/** Model multiplier of all charges. */
	multiplier?: number;
	/** How WAV files begin. */
	wavHeader?: WavHeader;
	usageLog?: LogOptions;
	pricing?: Pricing;
}

export interface Account {
	account: string;
	apiKey: string;
	balanceTokens: number;
	/** Left of the key's own quota. */
	keyTokens: number;
}

/** A request as it arrived and what became of it. */
export interface SimRequest {
	index: number;
	/** Milliseconds since 1970. */
	at: number;
	/** When the gateway itself began with it, if something in front has held it. */
	begunAt?: number;
	endedAt?: number;
	method: string;
	path: string;
	query: Record<string, string>;
	headers: Record<string, string>;
	/** Parsed JSON; of multipart, the fields, and for files `{ filename, contentType, size }`. */
	body?: unknown;
	/** The text: of speech its input, of chat all messages' texts by line, of video the prompt, of a voice the title. */
	input?: string;
	apiKey?: string;
	requestId: string;
	/** The answer's status; undefined while there is none. */
	status?: number;
	/** What went wrong with it on purpose. */
	fault?: Fault;
	/** The answer of a real gateway that it got. */
	recorded?: RecordedAnswer;
	/** Tokens. */
	charged: number;
	/** The client closed the connection before the answer was complete. */
	aborted: boolean;
}

export interface SimCharge {
	index: number;
	/** Milliseconds since 1970. */
	at: number;
	account: string;
	kind: ChargeKind;
	tokens: number;
	input: string;
	requestIndex: number;
}

export interface Voice {
	account: string;
	_id: string;
	title: string;
	created_at: number;
	size: number;
}

/** A speech job or a video: something accepted and paid for that is ready after a time. */
export interface Task {
	account: string;
	id: string;
	model: string;
	input: string;
	/** Milliseconds since 1970. */
	createdAt: number;
	readyAt: number;
	failure?: { code: string; message: string };
	/** Bytes of the content wanted, for tests of big downloads. */
	contentBytes?: number;
}

export interface SpeechJob extends Task {
	voice: string;
	format: AudioFormat;
	speed: number;
	audio: Audio;
}

const DEFAULTS = {
	dialect: 'document' as DialectName,
	port: 0,
	timeScale: 0.01,
	spoken: false,
	speechFields: [] as string[],
	secondsPerCharacter: 0.02,
	balanceTokens: 1e12,
	keyTokens: Infinity,
	multiplier: 1,
	wavHeader: 'list' as WavHeader,
	usageLog: {} as LogOptions,
};

/** Emits `request` (whole request read), `worked` (no more is done for it), `charge`, and `response` (an exchange is over, answered or not). */
export class World extends EventEmitter<{
	request: [SimRequest];
	worked: [SimRequest];
	charge: [SimCharge];
	response: [SimRequest];
}> {
	readonly options: typeof DEFAULTS & SimulatorOptions;
	readonly accounts: Account[] = [];
	readonly requests: SimRequest[] = [];
	readonly charges: SimCharge[] = [];
	readonly voices: Voice[] = [];
	readonly jobs: SpeechJob[] = [];
	readonly videos: Task[] = [];
	readonly faults: Fault[] = [];
	/** Aborted when everything in work is to be forgotten. */
	life = new AbortController();
	/** POST requests in work, with what they will cost. */
	readonly inWork = new Map<SimRequest, { account: Account; tokens: number }>();

	constructor(options: SimulatorOptions = {}) {
		super();
		this.setMaxListeners(0);
		const given = Object.entries(options).filter(([, value]) => value !== undefined);
		this.options = { ...DEFAULTS, ...Object.fromEntries(given) };
		const { balanceTokens, keyTokens } = this.options;
		this.addAccount({ balanceTokens, keyTokens });
	}

	get dialect(): Dialect {
		return DIALECTS[this.options.dialect];
	}

	addAccount(options: Partial<Pick<Account, 'balanceTokens' | 'keyTokens'>> = {}): Account {
		const account: Account = {
			account: `account-${this.accounts.length + 1}`,
			apiKey: `sk-sim-${randomBytes(16).toString('hex')}`,
			balanceTokens: options.balanceTokens ?? DEFAULTS.balanceTokens,
			keyTokens: options.keyTokens ?? DEFAULTS.keyTokens,
		};
		this.accounts.push(account);
		return account;
	}

	/** A voice of the default account. */
	addVoice(title: string, _id = title.toLowerCase()): void {
		const [{ account }] = this.accounts;
		this.voices.push({ account, _id, title, created_at: 0, size: 1 });
	}

	/** Books a price. Called when the work is done, whether or not anyone still waits for the answer. */
	charge(request: SimRequest, account: Account, { kind, tokens, input }: Price): void {
		const index = this.charges.length;
		const requestIndex = request.index;
		const charge = {
			index,
			at: now(),
			account: account.account,
			kind,
			tokens,
			input,
			requestIndex,
		};
		account.balanceTokens -= tokens;
		account.keyTokens -= tokens;
		request.charged += tokens;
		this.charges.push(charge);
		this.emit('charge', charge);
	}

	/** Forgets all but the accounts; work still going on is neither charged nor answered. */
	reset(): void {
		this.life.abort();
		this.life = new AbortController();
		const lists = [this.requests, this.charges, this.voices, this.jobs, this.videos, this.faults];
		for (const list of lists) list.length = 0;
		const { balanceTokens, keyTokens } = this.options;
		Object.assign(this.accounts[0], { balanceTokens, keyTokens });
		this.inWork.clear();
	}
}
