/* Tables that an expression gives. */
import type { GenericValue, IDataObject } from 'n8n-workflow';
import { item, runNode, speechNode, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1 });

const run = async (name: string, table: GenericValue | IDataObject | IDataObject[]) =>
	await runNode({
		parameters: speechNode({ [name]: '={{ $json.table }}' }, { text: 'A b.' }),
		items: [item({ table: table as IDataObject })],
		onError: 'continueErrorOutput',
		url: sim.url,
		apiKey: sim.apiKey,
	});

test.each<[string, GenericValue | IDataObject | IDataObject[]]>([
	['pronunciations', 'SQL'],
	['pronunciations', 5],
	['pronunciations', { SQL: 'sequel' }],
	['pronunciations', ['SQL'] as never],
	['pronunciations', [{ from: 'SQL', to: 'sequel' }]],
	['pronunciations', [{ find: 'a', say: 'b' }, { from: 'SQL' }]],
])(
	'%s that are none (%j): an error that names them, before anything is sent',
	async (name, table) => {
		const { outputs } = await run(name, table);
		expect(outputs[2][0].json.error).toMatchObject({
			message: expect.stringContaining('"Pronunciations" '),
		});
		expect(sim.requests).toEqual([]);
	},
);

test.each<[string, GenericValue | IDataObject | IDataObject[]]>([
	['pronunciations', [{ find: 'a', say: 'b' }]],
	['pronunciations', [{ id: 7, find: 'a', say: 'b' }]],
	['pronunciations', { values: [{ find: 'a', say: 'b' }] }],
	['pronunciations', []],
	['pronunciations', [{}]],
	['pronunciations', ''],
])('%s as they may come are taken (%j)', async (name, table) => {
	const { outputs } = await run(name, table);
	expect(outputs[0]).toHaveLength(1);
});
