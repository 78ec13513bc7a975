import { defined } from '../core/json';
import { type Charge, type Entry, type ItemRecord, taskIdOf } from './records';

/**
 * What an item says it was charged ("Charges"), by the entries of its requests. Each charge leaves the node once, or
 * people who add them up would count it twice: `told` names those that have left, and a finished item keeps the others
 * until it leaves. n8n starts every retry of a failed execution from the same record, so charges of that execution are
 * set apart, under its ID: the first of its retries that hands over items tells them.
 */
export class ItemCharges {
	constructor(private readonly record: ItemRecord) {}

	/** What was, or may have been, paid for, and has not left the node yet. */
	get all(): Charge[] {
		return [...Object.values(this.record.chargedBefore ?? {}).flat(), ...this.since];
	}

	/** Of these, what this execution has added: without those that a retry has set apart. */
	get since(): Charge[] {
		const { charges = [], requests, told = [] } = this.record;
		const entries = Object.entries(requests).filter(([name]) => !told.includes(name));
		return [...charges, ...entries.flatMap(([name, entry]) => chargeOf(name, entry) ?? [])];
	}

	/** A retry begins: sets apart what the item was charged in the execution that failed. */
	setApart(failedExecutionId: string): void {
		const { chargedBefore } = this.record;
		const { since } = this;
		this.tell();
		if (chargedBefore || since.length > 0)
			this.record.chargedBefore = { ...chargedBefore, [failedExecutionId]: since };
	}

	/** The executions of charges that were set apart. */
	get executions(): string[] {
		return Object.keys(this.record.chargedBefore ?? {});
	}

	/** Charges that were set apart leave with this retry, or not at all if another retry has told them. */
	settle(executionId: string, isOurs: boolean): void {
		const { chargedBefore = {}, charges = [] } = this.record;
		if (isOurs) this.record.charges = [...(chargedBefore[executionId] ?? []), ...charges];
		delete chargedBefore[executionId];
	}

	/** The charges have left the node on an item: each leaves once. */
	tell(): void {
		delete this.record.charges;
		delete this.record.chargedBefore;
		this.record.told = Object.keys(this.record.requests);
	}

	/** The entries of a finished item are gone: keeps these, which have not left yet. */
	keep(untold: Charge[]): void {
		if (untold.length > 0) this.record.charges = untold;
		delete this.record.told;
	}
}

/** What a request on record was charged; undefined where that was certainly nothing, or is another execution's. */
function chargeOf(request: string, entry: Entry): Charge | undefined {
	if (entry.state === 'cut') return undefined;
	if (entry.state === 'unknown') {
		const { facts, tokens } = entry;
		const { reason, sentAt, requestId } = facts;
		if (reason === 'already_sent') return undefined;
		return { request, charged: 'unknown', ...defined({ tokens, sentAt, requestId }) };
	}
	const { sentAt } = entry;
	if (entry.state === 'sending') return { request, charged: 'unknown', sentAt };
	const { tokens, requestId } = entry;
	const jobId = taskIdOf(entry);
	return { request, charged: 'yes', ...defined({ tokens, sentAt, requestId, jobId }) };
}
