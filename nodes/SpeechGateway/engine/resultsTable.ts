import type { IDataObject, INode, INodeExecutionData, IWorkflowBase } from 'n8n-workflow';
import { asError } from '../core/errors';
import { LOCK, type NewRow, type Row, type Step } from '../core/takeNames';
import type { NodeContext } from './nodeCall';

/**
 * Results by name in a data table of n8n's, for all executions and workers of the project. n8n hands its tables to its own
 * node alone, so each call runs a small workflow of that node, given inline; nothing of it is saved.
 */
export class ResultsTable {
	constructor(private readonly context: NodeContext) {}

	/** Does a step; see `Step`. Throws NoTableError where n8n has no table for it. */
	async perform(step: Step): Promise<Row[]> {
		if ('look' in step) return await this.find(step.look);
		if ('add' in step) {
			const options = { optimizeBulk: true };
			await this.row('insert', { columns: BY_NAME, options }, step.add);
			return [];
		}
		if ('remove' in step) {
			// All of one kind together, since they share the node's conditions.
			const kinds = new Map<string, Array<Partial<NewRow>>>();
			for (const values of step.remove) {
				const kind = Object.keys(values).join();
				kinds.set(kind, [...(kinds.get(kind) ?? []), values]);
			}
			for (const rows of kinds.values()) {
				const conditions = Object.keys(rows[0]).map((name) => equals(name, `={{ $json.${name} }}`));
				await this.row('deleteRows', { matchType: 'allConditions', filters: { conditions } }, rows);
			}
			return [];
		}
		const conditions = Object.entries(step.change).map(([name, value]) => equals(name, value));
		const changed = { matchType: 'allConditions', filters: { conditions }, columns: BY_NAME };
		return await this.row('update', changed, [step.to]);
	}

	/**
	 * Deletes rows that were added before a moment and, of those with a result, all but the newest. Nothing where there is no
	 * table yet.
	 */
	async clean(before: Date, most: number): Promise<void> {
		if ((await this.tableId()) === undefined) return;
		const remove = async (...conditions: IDataObject[]) => {
			const isNoLock = { keyName: 'name', condition: 'neq', keyValue: LOCK };
			const filters = { conditions: [isNoLock, ...conditions] };
			await this.row('deleteRows', { matchType: 'allConditions', filters });
		};
		await remove({ keyName: 'createdAt', condition: 'lt', keyValue: before.toISOString() });
		const hasResult = { keyName: 'result', condition: 'neq', keyValue: '' };
		const newest = async (limit: number, orderByDirection: string) =>
			await this.row('get', {
				matchType: 'allConditions',
				filters: { conditions: [hasResult] },
				limit,
				orderBy: true,
				orderByColumn: 'id',
				orderByDirection,
			});
		const [oldest] = await newest(1, 'ASC');
		const [last] = await newest(1, 'DESC');
		// IDs rise by one at least: only now is it worth reading all of them.
		if (!oldest || last.id - oldest.id < most) return;
		const rest = (await newest(most + 1, 'DESC')).at(most);
		if (rest) await remove(hasResult, { keyName: 'id', condition: 'lte', keyValue: rest.id });
	}

	private async find(names: string[]): Promise<Row[]> {
		const found: Row[] = [];
		for (let from = 0; from < names.length; from += NAMES_AT_ONCE) {
			const some = names.slice(from, from + NAMES_AT_ONCE);
			const conditions = some.map((name) => equals('name', name));
			const filters = { matchType: 'anyCondition', filters: { conditions }, returnAll: true };
			found.push(...(await this.row('get', filters)));
		}
		return found;
	}

	/** One operation on rows. If the table was deleted since it was last used, it is made again. */
	private async row(
		operation: string,
		parameters: IDataObject,
		rows?: Array<Partial<NewRow>>,
	): Promise<Row[]> {
		const items = rows?.map((row) => ({ json: { ...row } }));
		const act = async (value: string) => {
			const dataTableId = { __rl: true, mode: 'id', value };
			const all = { resource: 'row', operation, dataTableId, ...parameters };
			return (await this.run(all, items)).flatMap(({ json }) => rowIn(json) ?? []);
		};
		const { id: workflow = '' } = this.context.getWorkflow();
		const used = tablesOf.get(workflow);
		if (used !== undefined)
			try {
				return await act(used);
			} catch (error) {
				if (error instanceof NoTableError || (await this.tableId()) === used) throw asError(error);
			}
		const id = (await this.tableId()) ?? (await this.create());
		tablesOf.set(workflow, id);
		return await act(id);
	}

	/** n8n looks for the name anywhere in a table's name. */
	private async tableId(): Promise<string | undefined> {
		const options = { filterName: TABLE };
		const list = { resource: 'table', operation: 'list', returnAll: true, options };
		const table = (await this.run(list)).find(({ json }) => json.name === TABLE);
		return table && String(table.json.id);
	}

	private async create(): Promise<string> {
		const column = COLUMNS.map((name) => ({ name, type: 'string' }));
		const options = { createIfNotExists: false };
		const named = { tableName: TABLE, columns: { column }, options };
		let value: string;
		try {
			const [{ json }] = await this.run({ resource: 'table', operation: 'create', ...named });
			value = String(json.id);
		} catch (error) {
			// Of two executions that make it at once, one does.
			const id = await this.tableId();
			if (id === undefined) throw asError(error);
			return id;
		}
		const dataTableId = { __rl: true, mode: 'id', value };
		const lock = { name: LOCK, content: '', taker: '', execution: '', result: '' };
		await this.run({ resource: 'row', operation: 'insert', dataTableId, columns: BY_NAME }, [
			{ json: lock },
		]);
		return value;
	}

	private async run(
		parameters: INode['parameters'],
		items: INodeExecutionData[] = [{ json: {} }],
	): Promise<INodeExecutionData[]> {
		const { executeWorkflow } = this.context;
		if (!executeWorkflow) throw new NoTableError('This n8n runs no sub-workflows here');
		try {
			const code = workflowOf(parameters);
			return (await executeWorkflow.call(this.context, { code }, items)).data[0] ?? [];
		} catch (error) {
			const { message } = asError(error);
			throw NO_TABLE.test(message) ? new NoTableError(message) : asError(error);
		}
	}
}

/** n8n has no table for this node, and will have none soon; a table that only fails is another matter. */
export class NoTableError extends Error {}

/**
 * n8n's words for it: the module or the node is switched off, sub-workflows or tables are forbidden here, or all tables
 * together are full.
 */
const NO_TABLE =
	/module is disabled|unrecognized node type|cannot be called by|does not have '[^']*' access|read-only mode|data table size limit/i;

/** Shown under Data tables in the project of the workflow. */
const TABLE = 'Speech Gateway Results';

const COLUMNS = ['name', 'content', 'taker', 'execution', 'result'] as const;

/** The fields of an item go into the columns of their names. */
const BY_NAME = { mappingMode: 'autoMapInputData', value: null };

/** SQLite takes 1,000 conditions at the most; one name may have several rows. */
const NAMES_AT_ONCE = 200;

/** In this process, the ID of the table by workflow: workflows may be of different projects. */
const tablesOf = new Map<string, string>();

const equals = (keyName: string, keyValue: string | number) => ({
	keyName,
	condition: 'eq',
	keyValue,
});

/** A row, with texts in all its columns, whatever people have done to the table; undefined if it is none. */
function rowIn({ id, ...fields }: IDataObject): Row | undefined {
	if (typeof id !== 'number' || typeof fields.name !== 'string') return undefined;
	const text = (column: string) => {
		const value = fields[column];
		return typeof value === 'string' ? value : '';
	};
	const [name, content, taker, execution, result] = COLUMNS.map(text);
	return { id, name, content, taker, execution, result };
}

const [START, TABLE_NODE] = ['Start', 'Table'];

/**
 * A workflow of two nodes, given inline: a start that takes the items, and n8n's node for data tables. Its executions
 * are not saved.
 */
const workflowOf = (parameters: INode['parameters']): IWorkflowBase => ({
	id: '',
	name: TABLE,
	active: false,
	isArchived: false,
	createdAt: new Date(),
	updatedAt: new Date(),
	activeVersionId: null,
	settings: { saveDataSuccessExecution: 'none', saveDataErrorExecution: 'none' },
	connections: { [START]: { main: [[{ node: TABLE_NODE, type: 'main', index: 0 }]] } },
	nodes: [
		node(START, 'n8n-nodes-base.executeWorkflowTrigger', 1.1, { inputSource: 'passthrough' }),
		// An empty table, or one from which nothing is deleted, gives no items, which is no error.
		{ ...node(TABLE_NODE, 'n8n-nodes-base.dataTable', 1.1, parameters), alwaysOutputData: true },
	],
});

const node = (
	name: string,
	type: string,
	typeVersion: number,
	parameters: INode['parameters'],
): INode => ({ id: name, name, type, typeVersion, position: [0, 0], parameters });
