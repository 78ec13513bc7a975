import type { IDataObject, INode, INodeExecutionData, IWorkflowBase } from 'n8n-workflow';
import { asError } from '../core/errors';
import type { NodeContext } from './execution';

/**
 * Results by name in a data table of n8n's, for all executions and workers of the project. n8n hands its tables to its own
 * node alone, so each call runs a small workflow of that node, given inline; nothing of it is saved.
 *
 * There is no lock: whoever wants a name adds a row and reads the rows of that name. The row with the lowest ID has it. Rows
 * are added and deleted, never changed.
 */
export class ResultsTable {
	constructor(private readonly context: NodeContext) {}

	/** All rows of the names, by rising ID. */
	async find(names: string[]): Promise<ResultRow[]> {
		const found: ResultRow[] = [];
		for (let from = 0; from < names.length; from += NAMES_AT_ONCE) {
			const conditions = names.slice(from, from + NAMES_AT_ONCE).map(equals('name'));
			const rows = await this.row('get', {
				matchType: 'anyCondition',
				filters: { conditions },
				returnAll: true,
			});
			found.push(...rows.flatMap(({ json }) => rowIn(json) ?? []));
		}
		return found.sort((a, b) => a.id - b.id);
	}

	/** Adds rows, all or none. */
	async add(rows: NewRow[]): Promise<void> {
		const columns = { mappingMode: 'autoMapInputData', value: null };
		const items = rows.map((row) => ({ json: { ...row } }));
		await this.row('insert', { columns, options: { optimizeBulk: true } }, items);
	}

	/** Deletes the rows in which columns have these values. */
	async remove(values: Partial<NewRow>): Promise<void> {
		const conditions = Object.entries(values).map(([column, value]) => equals(column)(value));
		await this.row('deleteRows', { matchType: 'allConditions', filters: { conditions } });
	}

	/** Deletes all rows that were added before a moment. */
	async removeBefore(moment: Date): Promise<void> {
		const older = { keyName: 'createdAt', condition: 'lt', keyValue: moment.toISOString() };
		await this.row('deleteRows', { matchType: 'allConditions', filters: { conditions: [older] } });
	}

	/** One operation on rows. If the table was deleted since it was last used, it is made again. */
	private async row(
		operation: string,
		parameters: IDataObject,
		items?: INodeExecutionData[],
	): Promise<INodeExecutionData[]> {
		const act = async (value: string) => {
			const dataTableId = { __rl: true, mode: 'id', value };
			return await this.run({ resource: 'row', operation, dataTableId, ...parameters }, items);
		};
		const { id: workflow = '' } = this.context.getWorkflow();
		const used = tablesOf.get(workflow);
		if (used !== undefined)
			try {
				return await act(used);
			} catch (error) {
				if ((await this.tableId()) === used) throw asError(error);
			}
		const id = (await this.tableId()) ?? (await this.create());
		tablesOf.set(workflow, id);
		return await act(id);
	}

	/** n8n looks for the name anywhere in a table's name. */
	private async tableId(): Promise<string | undefined> {
		const options = { filterName: TABLE };
		const tables = await this.run({
			resource: 'table',
			operation: 'list',
			returnAll: true,
			options,
		});
		const table = tables.find(({ json }) => json.name === TABLE);
		return table && String(table.json.id);
	}

	private async create(): Promise<string> {
		const column = COLUMNS.map((name) => ({ name, type: 'string' }));
		const options = { createIfNotExists: false };
		const named = { tableName: TABLE, columns: { column }, options };
		try {
			const [{ json }] = await this.run({ resource: 'table', operation: 'create', ...named });
			return String(json.id);
		} catch (error) {
			// Of two executions that make it at once, one does.
			const id = await this.tableId();
			if (id === undefined) throw asError(error);
			return id;
		}
	}

	private async run(
		parameters: INode['parameters'],
		items: INodeExecutionData[] = [{ json: {} }],
	): Promise<INodeExecutionData[]> {
		const { executeWorkflow } = this.context;
		if (!executeWorkflow) throw new Error('This n8n runs no sub-workflows here');
		const { data } = await executeWorkflow.call(
			this.context,
			{ code: workflowOf(parameters) },
			items,
		);
		return data[0] ?? [];
	}
}

/** Shown under Data tables in the project of the workflow. */
const TABLE = 'Speech Gateway Results';

/** `result`: JSON; empty in the row that takes the name. */
const COLUMNS = ['name', 'content', 'taker', 'execution', 'result'] as const;

/** SQLite takes 1,000 conditions at the most; one name may have several rows. */
const NAMES_AT_ONCE = 200;

/** In this process, the ID of the table by workflow: workflows may be of different projects. */
const tablesOf = new Map<string, string>();

/** A row to be added. `taker`: the run that adds it; `execution`: its ID, or empty. */
export type NewRow = Record<(typeof COLUMNS)[number], string>;
/** A row as the table has it; IDs rise with each row that is added. */
export type ResultRow = NewRow & { id: number };

const equals = (keyName: string) => (keyValue: string) => ({ keyName, condition: 'eq', keyValue });

/** A row, with texts in all its columns, whatever people have done to the table; undefined if it is none. */
function rowIn({ id, ...fields }: IDataObject): ResultRow | undefined {
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
