import type { IBinaryKeyData, INodeExecutionData } from 'n8n-workflow';
import type { Fingerprint } from '../text/knownSegments';
import { type ErrorDetails, InputError, type Sent, type UnknownFacts } from '../core/errors';
import { isRecord, keysOf } from '../core/json';
import { type Final, OUTCOMES } from './outcome';

/**
 * What the ledger keeps in the execution's data: plain JSON with a version. Another version of the node may have written it, so
 * it is checked when it is read.
 */

/** To be raised when the meaning of a record changes. */
export const RECORD_VERSION = 1;

/** All branches, in the order of the node's outputs; an operation has those on which its items can end. */
export const BRANCHES = ['success', 'unknown', 'waiting'] as const;

/** See `BRANCHES`. */
export type Branch = (typeof BRANCHES)[number];

/** What came of an item, and on which branch it leaves. */
export interface Result {
	branch: Branch;
	items: INodeExecutionData[];
	/** Sent before and left out on purpose: nobody needs to hear of it. */
	isSkipped?: true;
}

/** The segment that a request speaks, so that it is found again when the text was changed. */
export interface SentSegment extends Fingerprint {
	/** The request key of its words; `number` tells equal ones apart. */
	key: string;
	number: number;
	/** Its number in the text, from 1. */
	position: number;
	/** The line of a script that it belongs to, and where in the words of that line it begins. */
	line: number;
	at: number;
	/** The ID of its voice. */
	voice: string;
}

/** A request that was, or may have been, paid for. */
export interface Charge {
	/** The key of the request and, of several equal ones, its number. */
	request: string;
	charged: 'yes' | 'unknown';
	/** By the gateway's rules; absent where they leave it open. */
	tokens?: number;
	sentAt: string;
	requestId?: string;
	jobId?: string;
}

/** What a request cost, as far as that is known. */
export type Cost = Pick<Charge, 'tokens' | 'requestId'>;

/** The state of one billed request, as `OUTCOMES` has it. One that may be sent again leaves no entry. */
export type Entry =
	| ({ state: 'sending'; segment?: SentSegment } & Sent)
	| ({ state: 'done'; segment?: SentSegment } & Done & Sent & Cost)
	| { state: 'unknown'; segment?: SentSegment; facts: UnknownFacts; tokens?: number }
	| ({ state: Exclude<Final, 'unknown'>; segment?: undefined } & Refusal);

/** Why a request was refused. */
export interface Refusal extends Cost {
	error: ErrorText;
	sentAt: string;
	/** Of a text that was too long. */
	characters?: number;
}

interface Done {
	value: object;
}

/** Whether another execution has sent it, and pays for it. */
export const wasSentElsewhere = (entry: Readonly<Entry>): boolean =>
	entry.state === 'unknown' && entry.facts.reason === 'already_sent';

/** The ID of the job or video that a request has made. */
export function taskIdOf(entry: Readonly<Entry>): string | undefined {
	if (entry.state !== 'done' || !('id' in entry.value)) return undefined;
	const { id } = entry.value;
	return typeof id === 'string' ? id : undefined;
}

/** What an error says. */
export interface ErrorText {
	message: string;
	description: string;
	details: ErrorDetails;
	/** Paid files of the item, delivered with the error item. */
	binary?: IBinaryKeyData;
}

/** The IDs of voices that were asked for by title. */
export type VoiceIds = Readonly<Record<string, string>>;

/** What an item was asked for when it was first paid for. */
export interface Asked {
	/** `resource.operation`. */
	operation?: string;
	parameters?: object;
	/** Names the node's settings when the parameters were read. */
	settings?: string;
	/** The IDs of the voices that it asked for by title, as they were then. */
	voices?: VoiceIds;
	/** Names the gateway, whatever the key: see `Account`. */
	gateway?: string;
	/** The service charges for nothing. */
	costsNothing?: boolean;
}

/** All that is on record of one item. */
export interface ItemRecord {
	/** By name: see `requestName`. */
	requests: Record<string, Entry>;
	/** Since it was first paid for. */
	asked?: Asked;
	result?: Result;
	/** Why Retry On Fail sends nothing more of it: its first error. */
	refused?: ErrorText;
	/** The result has cost nothing: no request of it was sent in this execution. */
	sentNothing?: boolean;
	/** The ID of the job or video from which the result came. */
	taskId?: string;
	/** What a finished item was charged. */
	charges?: Charge[];
	/** The requests whose charges have left the node in this execution. */
	told?: string[];
	/** Sound cut out of a previous version, by key and place: it was free, but a retry needs it. */
	reused?: Record<string, object>;
	/** The retry in which its files were stored anew. */
	filesOf?: string;
	/** This execution has recorded the item's `sendOnceKey`. */
	keyRecorded?: boolean;
}

/** All that is on record of one round of the node. */
export interface RunRecord {
	version: number;
	/** The execution in which this node first ran: this one, or the failed one that it retries. */
	firstExecutionId?: string;
	executionId?: string;
	/** Names the node's settings in the last attempt. */
	settings?: string;
	/** In this execution. */
	attempts: number;
	items: Record<string, ItemRecord>;
}

/** The rounds on record under the ledger's name, by key; each is checked by `readRun` when it is used. */
export type Rounds = Record<string, unknown>;

/**
 * One round on record; undefined if there is none. Throws InputError if a newer version of the node wrote it or it is damaged:
 * without knowing what is paid for, nothing may be sent.
 */
export function readRun(rounds: Rounds, key: string): RunRecord | undefined {
	if (!Object.hasOwn(rounds, key)) return undefined;
	const run = rounds[key];
	if (isRecord(run) && typeof run.version === 'number' && run.version > RECORD_VERSION)
		throw new InputError(
			'This execution was begun by a newer version of the Speech Gateway node',
			'Update the package to finish it. Nothing was sent, and nothing paid for is lost.',
		);
	if (!isRun(run))
		throw new InputError(
			'The record of what this execution has paid for cannot be read',
			'So nothing was sent, lest it be charged twice. Start a new execution for what is missing.',
		);
	return run;
}

/** Checks the states of all requests, since one in an unknown state might be sent again; the rest is as it was written. */
const isRun = (value: unknown): value is RunRecord =>
	isRecord(value) &&
	value.version === RECORD_VERSION &&
	isRecord(value.items) &&
	Object.values(value.items).every(
		(item) =>
			isRecord(item) && isRecord(item.requests) && Object.values(item.requests).every(isEntry),
	);

const STATES: unknown[] = keysOf(OUTCOMES).filter((state) => OUTCOMES[state].onRetry === 'never');

const isEntry = (value: unknown): boolean => isRecord(value) && STATES.includes(value.state);
