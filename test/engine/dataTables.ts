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
	keyValue?: string;
}

const SYSTEM_COLUMNS = ['id', 'createdAt', 'updatedAt'];

/**
 * n8n's data tables, for a workflow that is given inline: a trigger for sub-workflows and a Data Table node (2.41). It does
 * what that node and n8n's repository do: names are searched for anywhere in a table's name, `get` returns 50 rows unless all are
 * asked for, `insert` with "Optimize Bulk" returns a count, a search takes 1,000 conditions at the most.
 */
export class DataTables {
	readonly tables: Table[] = [];
	/** Given: every call fails with it, as where n8n has no tables or its database is away. */
	failure: Error | undefined;
	/** Awaited before each call. */
	slow: (() => Promise<unknown>) | undefined;
	calls = 0;
	/** An object, since a story's tables of one night share it with those of the others. */
	private readonly last = { id: 0 };

	get rows(): IDataObject[] {
		return this.tables.flatMap(({ rows }) => rows);
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
		const json = this.perform(
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

	private perform(
		operation: string,
		parameters: IDataObject,
		items: INodeExecutionData[],
	): IDataObject[] {
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
		if (operation === 'row:insert') {
			for (const { json } of items) {
				for (const column of Object.keys(json))
					if (!table.columns.includes(column)) throw new Error(`unknown column name '${column}'`);
				const now = new Date().toISOString();
				table.rows.push({ ...json, id: ++this.last.id, createdAt: now, updatedAt: now });
			}
			return [{ success: true, insertedRows: items.length }];
		}
		const { conditions = [] } = (parameters.filters ?? {}) as { conditions?: Condition[] };
		if (conditions.length > 1_000) throw new Error('too many SQL variables');
		if (conditions.length === 0 && operation === 'row:deleteRows')
			throw new Error('At least one condition is required');
		for (const { keyName } of conditions)
			if (!table.columns.includes(keyName) && !SYSTEM_COLUMNS.includes(keyName))
				throw new Error(
					`Filter validation failed: Column(s) "${keyName}" do not exist in the selected table.`,
				);
		const holds =
			(row: IDataObject) =>
			({ keyName, condition = 'eq', keyValue = '' }: Condition) =>
				condition === 'lt' ? String(row[keyName]) < keyValue : String(row[keyName]) === keyValue;
		const all = parameters.matchType === 'allConditions';
		const found = table.rows.filter((row) =>
			all ? conditions.every(holds(row)) : conditions.some(holds(row)),
		);
		if (operation === 'row:get') return parameters.returnAll ? found : found.slice(0, 50);
		if (operation !== 'row:deleteRows')
			throw new Error(`The operation "${operation}" is not known`);
		table.rows = table.rows.filter((row) => !found.includes(row));
		return found;
	}
}
