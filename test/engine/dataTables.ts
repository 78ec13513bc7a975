import type {
	ExecuteWorkflowData,
	IDataObject,
	IExecuteWorkflowInfo,
	INodeExecutionData,
} from 'n8n-workflow';

interface Table {
	id: string;
	name: string;
	columns: string[];
	rows: IDataObject[];
}

interface Condition {
	keyName: string;
	condition?: string;
	keyValue?: string | number;
}

const SYSTEM_COLUMNS = ['id', 'createdAt', 'updatedAt'];

/**
 * n8n's data tables, for a workflow that is given inline: a trigger for sub-workflows and a Data Table node (2.41). It does
 * what that node and n8n's repository do: names are searched for anywhere in a table's name, `get` returns 50 rows unless all are
 * asked for, `insert` with "Optimize Bulk" returns a count, a search takes 1,000 conditions at the most. Rows get their IDs
 * before they are seen, as on PostgreSQL; a change under conditions is one step, for each item in turn.
 */
export class DataTables {
	readonly tables: Table[] = [];
	/** Given: every call fails with it, as where n8n has no tables or its database is away. */
	failure: Error | undefined;
	/** Awaited before each call. */
	slow: (() => Promise<unknown>) | undefined;
	/** Awaited between giving rows their IDs and their being seen. */
	beforeCommit: ((rows: IDataObject[]) => Promise<unknown>) | undefined;
	/** All tables together are full. */
	isFull = false;
	calls = 0;
	/** An object, since a story's tables of one night share it with those of the others. */
	private readonly last = { id: 0 };

	/** Those of names: neither the lock nor signs of life. */
	get rows(): IDataObject[] {
		return this.all.filter(({ name }) => !String(name).startsWith('#'));
	}

	get all(): IDataObject[] {
		return this.tables.flatMap(({ rows }) => rows);
	}

	/** The same tables as one worker sees them. */
	with(own: Partial<Pick<DataTables, 'slow' | 'failure'>>): DataTables {
		return Object.assign(Object.create(this) as DataTables, own);
	}

	/** Leaves some of the rows of names, changed. */
	keep(change: (row: IDataObject) => IDataObject | undefined): void {
		for (const table of this.tables)
			table.rows = table.rows.flatMap((row) =>
				String(row.name).startsWith('#') ? [row] : [change(row) ?? []].flat(),
			);
	}

	async execute(
		{ code }: IExecuteWorkflowInfo,
		items: INodeExecutionData[] = [],
	): Promise<ExecuteWorkflowData> {
		this.calls++;
		await this.slow?.();
		if (this.failure) throw this.failure;
		const node = code?.nodes.find(({ type }) => type === 'n8n-nodes-base.dataTable');
		if (!node || !code?.nodes.some(({ type }) => type === 'n8n-nodes-base.executeWorkflowTrigger'))
			throw new Error('Missing node to start execution');
		const parameters = node.parameters as IDataObject;
		const json = await this.perform(
			`${parameters.resource as string}:${parameters.operation as string}`,
			parameters,
			items,
		);
		const shown = json.length === 0 && node.alwaysOutputData ? [{}] : json;
		return {
			executionId: 'sub',
			data: [shown.map((one) => ({ json: one }))],
		} as ExecuteWorkflowData;
	}

	private async perform(
		operation: string,
		parameters: IDataObject,
		items: INodeExecutionData[],
	): Promise<IDataObject[]> {
		if (operation === 'table:list') {
			const { filterName = '' } = (parameters.options ?? {}) as { filterName?: string };
			return this.tables
				.filter(({ name }) => name.toLowerCase().includes(filterName.toLowerCase()))
				.map(({ id, name }) => ({ id, name }));
		}
		if (operation === 'table:create') {
			const name = String(parameters.tableName);
			if (this.tables.some((table) => table.name === name))
				throw new Error(`Data table with name '${name}' already exists in this project`);
			const { column } = parameters.columns as { column: Array<{ name: string }> };
			const table = {
				id: `table-${this.tables.length}`,
				name,
				columns: column.map((one) => one.name),
				rows: [],
			};
			this.tables.push(table);
			return [{ id: table.id, name }];
		}
		const { value } = parameters.dataTableId as { value: string };
		const table = this.tables.find(({ id }) => id === value);
		if (!table) throw new Error(`Could not find the data table: '${value}'`);
		if (this.isFull && /insert|update/.test(operation))
			throw new Error('Data table size limit exceeded: 200MB used, limit is 200MB');
		if (operation === 'row:insert') {
			const rows = items.map(({ json }) => {
				for (const column of Object.keys(json))
					if (!table.columns.includes(column)) throw new Error(`unknown column name '${column}'`);
				const now = new Date().toISOString();
				return { ...json, id: ++this.last.id, createdAt: now, updatedAt: now };
			});
			await this.beforeCommit?.(rows);
			table.rows.push(...rows);
			return [{ success: true, insertedRows: items.length }];
		}
		return items.flatMap(({ json }) => onRows(table, operation, parameters, json));
	}
}

/** An operation on the rows that meet its conditions, for one item. */
function onRows(
	table: Table,
	operation: string,
	parameters: IDataObject,
	json: IDataObject,
): IDataObject[] {
	const { conditions = [] } = (parameters.filters ?? {}) as { conditions?: Condition[] };
	if (conditions.length > 1_000) throw new Error('too many SQL variables');
	if (conditions.length === 0 && operation !== 'row:get')
		throw new Error('At least one condition is required');
	for (const { keyName } of conditions)
		if (!table.columns.includes(keyName) && !SYSTEM_COLUMNS.includes(keyName))
			throw new Error(
				`Filter validation failed: Column(s) "${keyName}" do not exist in the selected table.`,
			);
	const holds = (row: IDataObject) => (condition: Condition) => meets(row, condition, json);
	const all = parameters.matchType === 'allConditions';
	const found = table.rows.filter((row) =>
		all ? conditions.every(holds(row)) : conditions.some(holds(row)),
	);
	if (operation === 'row:get') {
		const { orderBy, orderByColumn: column, orderByDirection, limit = 50, returnAll } = parameters;
		if (orderBy) found.sort((a, b) => Number(a[column as string]) - Number(b[column as string]));
		if (orderBy && orderByDirection === 'DESC') found.reverse();
		return (returnAll ? found : found.slice(0, Number(limit))).map((row) => ({ ...row }));
	}
	if (operation === 'row:update') {
		for (const row of found) Object.assign(row, json, { updatedAt: new Date().toISOString() });
		return found.map((row) => ({ ...row }));
	}
	if (operation !== 'row:deleteRows') throw new Error(`The operation "${operation}" is not known`);
	table.rows = table.rows.filter((row) => !found.includes(row));
	return found;
}

/** Whether a row meets a condition, whose value may be a field of the item: `={{ $json.name }}`. */
function meets(
	row: IDataObject,
	{ keyName, condition = 'eq', keyValue = '' }: Condition,
	json: IDataObject,
): boolean {
	const field = /^=\{\{ \$json\.(\w+) \}\}$/.exec(String(keyValue))?.[1];
	const value = field === undefined ? keyValue : json[field];
	const cell = row[keyName];
	switch (condition) {
		case 'eq':
			return cell !== null && String(cell) === String(value);
		case 'neq':
			return cell === null || String(cell) !== String(value);
		case 'lt':
			return String(cell) < String(value);
		case 'lte':
			return Number(cell) <= Number(value);
		default:
			throw new Error(`The condition "${condition}" is not known`);
	}
}
