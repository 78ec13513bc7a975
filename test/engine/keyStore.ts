/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { setImmediate } from 'node:timers/promises';
import type {
	ICheckProcessedContextData,
	ICheckProcessedOptions,
	IDataDeduplicator,
	IDeduplicationOutput,
} from 'n8n-workflow';

type Scope = 'node' | 'workflow';
type Key = string | number;

/** Asked at each call: whether it fails, and whether it has done its work before that. */
export type KeyFault = () => 'before' | 'after' | undefined;

interface Row {
	mode: ICheckProcessedOptions['mode'];
	keys: string[];
}

/**
 * The table in which n8n keeps what nodes have processed (its `DeduplicationHelper`), as unforgiving as n8n's: a row for a
 * node or a workflow is read, changed and written without a lock, so that of two writers at once one loses its keys; a
 * row that two create at once is an error; beyond `maxEntries` the oldest go.
 */
export class KeyStore implements IDataDeduplicator {
	/** Given: every call fails with it, as when the database is locked. */
	failure: Error | undefined;
	/** The words of the database where another call has made the list meanwhile: SQLite's, unless given. */
	taken = 'SQLITE_CONSTRAINT: UNIQUE constraint failed: processed_data.workflowId';
	/** Given: what every call waits for, as when the database is slow. */
	slow: (() => Promise<unknown>) | undefined;
	/** What is to go wrong, by node id. */
	readonly faults = new Map<string, KeyFault | undefined>();
	private readonly rows = new Map<string, Row>();

	/** The keys of a scope, oldest first. */
	keys(scope: Scope = 'node', nodeId = 'node-under-test', workflowId = 'workflow-under-test') {
		return this.rows.get(rowOf(scope, workflowId, nodeId))?.keys ?? [];
	}

	async checkProcessedAndRecord(
		items: Key[],
		scope: Scope,
		context: ICheckProcessedContextData,
		options: ICheckProcessedOptions,
	): Promise<IDeduplicationOutput> {
		const lost = this.fault(context);
		const name = nameOf(scope, context);
		const row = await this.read(name, options);
		const known = new Set(row?.keys);
		// A key twice among the items is new twice: so it is in n8n.
		const fresh = items.filter((key) => !known.has(String(key)));
		const keys = [...(row?.keys ?? []), ...fresh.map(String)];
		const newest = options.maxEntries ? keys.slice(-options.maxEntries) : keys;
		await this.write(name, { mode: options.mode, keys: newest }, row === undefined);
		lost();
		return { new: fresh, processed: items.filter((key) => known.has(String(key))) };
	}

	async removeProcessed(
		items: Key[],
		scope: Scope,
		context: ICheckProcessedContextData,
		options: ICheckProcessedOptions,
	): Promise<void> {
		const lost = this.fault(context);
		const name = nameOf(scope, context);
		const row = await this.read(name, options);
		if (!row) return lost();
		const keys = [...row.keys];
		for (const key of items) {
			const at = keys.indexOf(String(key));
			if (at >= 0) keys.splice(at, 1);
		}
		await this.write(name, { ...row, keys }, false);
		lost();
	}

	async clearAllProcessedItems(scope: Scope, context: ICheckProcessedContextData): Promise<void> {
		this.rows.delete(nameOf(scope, context));
	}

	async getProcessedDataCount(scope: Scope, context: ICheckProcessedContextData): Promise<number> {
		return this.rows.get(nameOf(scope, context))?.keys.length ?? 0;
	}

	/** Fails now, or gives what fails when the work is done. */
	private fault({ node }: ICheckProcessedContextData): () => void {
		const when = this.faults.get(node?.id ?? '')?.();
		if (when === 'before') throw new Error('The database is locked');
		return () => {
			if (when === 'after') throw new Error('The connection to the database was lost');
		};
	}

	private async read(name: string, { mode }: ICheckProcessedOptions): Promise<Row | undefined> {
		await setImmediate();
		await this.slow?.();
		if (this.failure) throw this.failure;
		const row = this.rows.get(name);
		if (row && row.mode !== mode) throw new Error('Saved with another "Keep Items Where"');
		return row;
	}

	private async write(name: string, row: Row, isNew: boolean): Promise<void> {
		await setImmediate();
		if (this.failure) throw this.failure;
		if (isNew && this.rows.has(name)) throw new Error(this.taken);
		this.rows.set(name, row);
	}
}

function nameOf(scope: Scope, { workflow, node }: ICheckProcessedContextData): string {
	if (!workflow.id) throw new Error('The workflow has no id');
	if (scope === 'node' && !node) throw new Error("Cannot use scope 'node' without a node");
	return rowOf(scope, workflow.id, node?.id ?? '');
}

const rowOf = (scope: Scope, workflowId: string, nodeId: string) =>
	`${workflowId} ${scope === 'node' ? `n:${nodeId}` : ''}`;
