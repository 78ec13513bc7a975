import type { IBinaryData } from 'n8n-workflow';
import { isFile } from '../fields/kinds';
import { defined } from '../core/json';
import {
	type ErrorDetails,
	outcomeUnknown,
	OutcomeUnknownError,
	type Sent,
	type UnknownFacts,
} from '../core/errors';
import {
	type Asked,
	type Charge,
	type Cost,
	type Entry,
	type ErrorText,
	type ItemRecord,
	type Refusal,
	type Result,
	type SentSegment,
	type VoiceIds,
	taskIdOf,
	wasSentElsewhere,
} from './records';
import { chargesOf } from './itemCharges';
import { isFree, type Final, mayBring, OUTCOMES, type State } from './outcome';
import { requestKey } from './requestKey';

/** A segment that was sent, and whether its sound is there. */
export type SegmentOnRecord = SentSegment & { isDone: boolean };

/** The binary field for finished segments of a text, named by the first segment in the file, from 1. */
export const completedField = (segment: number): string =>
	segment === 1 ? 'completed' : `completed_${segment}`;

/** Whether a binary field is one of `completedField`. */
export const isCompletedField = (field: string): boolean => /^completed(_\d+)?$/.test(field);

/** Whether a binary field has what is finished of a text, or what arrived of a damaged answer. */
export const isPartialFile = (field: string): boolean =>
	isCompletedField(field) || /^received(_\d+)?$/.test(field);

const onlyOne = <T>(values: T[]): T | undefined => (values.length === 1 ? values[0] : undefined);

/** Whether a retry by hand does not send it, either. */
const isLasting = (state: State): boolean => OUTCOMES[state].byHand === 'never';

/**
 * The billed requests of one item; nobody else writes its record. A request goes from no entry to `begin`, and from there to
 * `done`, `unknown` or `wasRefused`, or back to no entry with `clear` if it may be sent again.
 */
export class ItemLedger {
	private asking: Asked = {};

	constructor(
		private readonly record: ItemRecord,
		/** Names the node's present settings. */
		private readonly settings?: string,
	) {}

	get result(): Result | undefined {
		return this.record.result;
	}

	/** What was first paid for; undefined while nothing may come of it. */
	get paidFor(): Asked | undefined {
		return this.mayBring ? (this.record.asked ?? {}) : undefined;
	}

	/** Whether something that is paid for may come of it. */
	private get mayBring(): boolean {
		const { result, requests } = this.record;
		return result !== undefined || Object.values(requests).some(({ state }) => mayBring(state));
	}

	/** Whether any request of the item has been, or may have been, paid for. */
	get maybeCharged(): boolean {
		const { result, requests } = this.record;
		return result !== undefined || Object.values(requests).some(({ state }) => !isFree(state));
	}

	get keyRecorded(): boolean {
		return this.record.keyRecorded === true;
	}

	set keyRecorded(recorded: boolean) {
		this.record.keyRecorded = recorded || undefined;
	}

	/** Somebody retries the execution: forgets what was told, and refusals that may be over by now. */
	retryByHand(): void {
		const { requests } = this.record;
		delete this.record.told;
		delete this.record.refused;
		for (const [name, { state }] of Object.entries(requests))
			if (!isLasting(state)) delete requests[name];
	}

	/** Its first error, which Retry On Fail gives again without sending anything. */
	get refused(): ErrorText | undefined {
		return this.record.refused;
	}

	/** Retry On Fail can mend nothing of the item. */
	refuse({ message, description, details, binary }: ErrorText): void {
		this.record.refused = defined({ message, description, details, binary });
	}

	/** Adds to what the item asks for; the first request that leaves records it. */
	ask(asked: Asked): void {
		Object.assign(this.asking, asked);
	}

	/** What is paid for in part is finished with these parameters, now and in later attempts. */
	finishWith(parameters: object): void {
		if (this.record.asked)
			Object.assign(this.record.asked, { parameters, settings: this.settings });
	}

	/** Whether the node's settings are those with which its parameters were read, whatever they were in between. */
	get isUnchanged(): boolean {
		const { settings } = this.paidFor ?? {};
		return settings !== undefined && settings === this.settings;
	}

	get sentSegments(): SegmentOnRecord[] {
		return this.entries().flatMap(({ state, segment }) =>
			segment ? [{ ...segment, isDone: state === 'done' }] : [],
		);
	}

	/** The lengths of texts that the gateway has cut, in characters. */
	get cutLengths(): number[] {
		return this.entries().flatMap((entry) => ('characters' in entry && entry.characters) || []);
	}

	/** A name for what is on record, without results. It changes with each request that is sent and not refused. */
	get state(): string {
		const { requests, result } = this.record;
		const sent = Object.entries(requests).filter(([, { state }]) => isLasting(state));
		return result ? 'finished' : requestKey('state', sent.map(([name]) => name).sort());
	}

	/** Whether the service that it was asked of charges for nothing. */
	get costsNothing(): boolean {
		const { costsNothing = false } = this.record.asked ?? this.asking;
		return costsNothing;
	}

	/** The IDs of voices by title, as they were when the item was first paid for. */
	get voices(): VoiceIds {
		return this.paidFor?.voices ?? {};
	}

	entry(request: string): Readonly<Entry> | undefined {
		return this.record.requests[request];
	}

	/** Whether no request of the item that may be charged was sent in this execution. */
	get sentNothing(): boolean {
		const { result, sentNothing = false } = this.record;
		if (result) return sentNothing;
		return this.entries().every((entry) => isFree(entry.state) || wasSentElsewhere(entry));
	}

	entries(): ReadonlyArray<Readonly<Entry>> {
		return Object.values(this.record.requests);
	}

	/**
	 * The error of an item that is interrupted here, with the IDs of accepted tasks and the files so far. Undefined if it is
	 * finished, or nothing of it may have been paid for.
	 */
	interruption(): OutcomeUnknownError | undefined {
		const entries = this.entries();
		const unknown = entries.find((entry) => entry.state === 'unknown');
		const sent = entries.findLast((entry) => 'inputHash' in entry);
		const facts = unknown?.facts ?? (sent && outcomeUnknown('interrupted', sent).facts);
		if (!facts) return undefined;
		const { taskId, taskIds, files } = this;
		const details = defined({ jobId: taskId, jobIds: taskIds.length > 1 ? taskIds : undefined });
		return new OutcomeUnknownError(facts, details, files);
	}

	/** The facts of other segments that may have been charged, too. */
	otherUnknown({ sentAt, inputHash }: UnknownFacts): UnknownFacts[] {
		return this.entries()
			.flatMap((entry) => {
				if (entry.state === 'unknown') return [entry.facts];
				return entry.state === 'sending' ? [outcomeUnknown('interrupted', entry).facts] : [];
			})
			.filter((facts) => facts.sentAt !== sentAt || facts.inputHash !== inputHash);
	}

	/** The ids of the jobs or videos that were accepted for the item. */
	private get taskIds(): string[] {
		return this.entries().flatMap((entry) => taskIdOf(entry) ?? []);
	}

	/** The request key of a job or video that was submitted for the item; undefined if that is not on record. */
	requestOf(id: string): string | undefined {
		const entry = this.entries().find((one) => taskIdOf(one) === id);
		return entry && 'inputHash' in entry ? entry.inputHash : undefined;
	}

	/** When a job or video of the item was submitted, ms since 1970; undefined if that is not on record. */
	submittedAt(id: string): number | undefined {
		const entry = this.entries().find((one) => taskIdOf(one) === id);
		return entry && 'sentAt' in entry ? Date.parse(entry.sentAt) : undefined;
	}

	/** The ID of the last task, or of the task of a finished item. */
	get taskId(): string | undefined {
		const { result, taskId } = this.record;
		const { jobId } = result?.items[0]?.json ?? {};
		return taskId ?? (typeof jobId === 'string' ? jobId : this.taskIds.at(-1));
	}

	/** Its tasks, each with the name of the gateway that has it. */
	get tasks(): string[] {
		const { asked, taskId = [] } = this.record;
		return [...this.taskIds, taskId].flat().map((id) => taskAt(asked?.gateway, id));
	}

	/** The account that paid for a task of the item; undefined if none of its requests made it. */
	payerOf(task: string): string | undefined {
		const entry = this.entries().find((one) => taskIdOf(one) === task);
		return entry?.state === 'done' ? entry.paidBy : undefined;
	}

	/** For errors: the ID of its task and, if it is finished, its json as `paid`, also if its outcome is unknown. */
	get paidDetails(): ErrorDetails {
		return defined({ jobId: this.taskId, paid: this.result?.items[0]?.json });
	}

	/** The item's files so far, by the binary field in which they are delivered: of its result, or of its segments. */
	get files(): Record<string, IBinaryData> {
		const { result } = this.record;
		if (result) return Object.assign({}, ...result.items.map(({ binary }) => binary));
		const files: Record<string, IBinaryData> = {};
		for (const entry of this.entries()) {
			if (entry.state !== 'done') continue;
			const { segment, value } = entry;
			if (!('binary' in value) || !isFile(value.binary)) continue;
			let position = segment?.position ?? 1;
			// A text that was split anew has other numbers than before.
			while (completedField(position) in files) position++;
			files[completedField(position)] = value.binary;
		}
		return files;
	}

	/** Keeps what is taken over from an earlier result. It costs nothing, and is kept until the item is finished. */
	reuse(values: Record<string, object>): void {
		this.record.reused = { ...this.record.reused, ...values };
	}

	reused(hash: string): object | undefined {
		return this.record.reused?.[hash];
	}

	/** Forgets what was taken over and has a file that is gone: it is taken over anew. */
	forgetReused(isGone: (file: unknown) => boolean): void {
		const { reused = {} } = this.record;
		for (const [hash, value] of Object.entries(reused))
			if ('binary' in value && isGone(value.binary)) delete reused[hash];
	}

	/**
	 * Puts other files in the place of those on record, once in an execution. `own`: gives the file that replaces one, undefined
	 * if there is none.
	 */
	async moveFiles(
		executionId: string | undefined,
		own: (file: IBinaryData) => Promise<IBinaryData | undefined>,
	): Promise<void> {
		const { result, reused = {}, filesOf } = this.record;
		if (filesOf === executionId) return;
		const done = this.entries().flatMap((entry) => (entry.state === 'done' ? [entry.value] : []));
		const places: Array<[place: object, file: unknown, field: string]> = [];
		for (const value of [...Object.values(reused), ...done])
			if ('binary' in value) places.push([value, value.binary, 'binary']);
		for (const { binary = {} } of result?.items ?? [])
			for (const [field, file] of Object.entries(binary)) places.push([binary, file, field]);
		let isAll = true;
		for (const [place, file, field] of places) {
			if (!isFile(file) || file.id === undefined) continue;
			const moved = await own(file);
			if (moved) Object.assign(place, { [field]: moved });
			else isAll = false;
		}
		if (isAll && places.length > 0) this.record.filesOf = executionId;
	}

	/** Records a request that is about to leave: if n8n crashes in between, it is on record as possibly charged. */
	begin(request: string, sent: Sent, segment?: SentSegment): void {
		// `mayBring` looks at all requests of the item; once that is on record, no segment of a book needs it.
		if (!this.record.asked && !this.mayBring)
			this.record.asked = { ...this.asking, settings: this.settings };
		this.record.requests[request] = defined({ state: 'sending', ...sent, segment });
	}

	/** Records the result of a request; later attempts take it instead of sending the request again. */
	done(request: string, value: object, cost: Cost): void {
		const before = this.record.requests[request];
		if (before?.state === 'sending')
			this.record.requests[request] = { ...before, state: 'done', value, ...cost };
	}

	/** Tokens that the item's requests were, or may have been, charged, as far as that is known. */
	get tokens(): number {
		return this.entries().reduce(
			(sum, entry) => sum + (('tokens' in entry && entry.tokens) || 0),
			0,
		);
	}

	/** What the item was, or may have been, charged, and has not said in this execution. */
	get charges(): Charge[] {
		const { told = [] } = this.record;
		return chargesOf(this.record).filter(({ request }) => !told.includes(request));
	}

	/** Its charges have left the node: people add them up, so each leaves once in an execution. */
	tellCharges(): void {
		this.record.told = chargesOf(this.record).map(({ request }) => request);
	}

	/** The request may have been charged: it is never sent again. `tokens`: what it cost if it was, where that is certain. */
	unknown(request: string, facts: UnknownFacts, segment?: SentSegment, tokens?: number): void {
		this.record.requests[request] = defined({ state: 'unknown', facts, segment, tokens });
	}

	/** Neither this run nor Retry On Fail sends the request again, for this reason. */
	wasRefused(request: string, state: Exclude<Final, 'unknown'>, refusal: Refusal): void {
		this.record.requests[request] = { state, ...defined(refusal) };
		this.thaw();
	}

	/** The request may be sent again. */
	clear(request: string): void {
		delete this.record.requests[request];
		this.thaw();
	}

	/** Finishes the item: its result replaces the entries of its requests. */
	finish(result: Result): void {
		const { sentNothing } = this;
		const taskId = onlyOne(this.taskIds);
		const charges = chargesOf(this.record);
		Object.assign(this.record, defined({ result, requests: {}, taskId }), { charges });
		this.record.sentNothing = sentNothing || undefined;
		const { operation, gateway, costsNothing } = this.record.asked ?? this.asking;
		this.record.asked = defined({ operation, gateway, costsNothing });
		delete this.record.reused;
	}

	/** With nothing paid for any more, the item may be asked for something else. */
	private thaw(): void {
		if (!this.mayBring) delete this.record.asked;
	}
}

/** Names a task among those of all gateways, of which two may count alike. */
export const taskAt = (gateway: string | undefined, id: string): string => `${gateway} ${id}`;
