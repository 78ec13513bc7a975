/** Tools of an MCP Server Trigger: n8n runs them before, and outside of, the execution that it shows of the call. */
import type { IDataObject } from 'n8n-workflow';
import { useBench } from '../support/n8n/bench';
import { connectMcp } from '../support/n8n/mcp';
import { makeNode } from '../support/workflow';

const TRIGGER = 'MCP Server';
const TOOL = 'Narrate';

const bench = useBench({ latencyMs: 10 });

/** A client with a session of its own, for the MCP server of a new workflow; returns what calls the tool. */
async function connect(): Promise<(text: string) => Promise<IDataObject[]>> {
	const path = crypto.randomUUID();
	const saved = await bench.api.importWorkflow(
		{
			name: `MCP ${path.slice(0, 8)}`,
			nodes: [
				{
					...makeNode(TRIGGER, '@n8n/n8n-nodes-langchain.mcpTrigger', 2, 0, { path }),
					webhookId: path,
				},
				makeNode(TOOL, 'n8n-nodes-speech-gateway.speechGatewayTool', 1, 0, {
					descriptionType: 'manual',
					toolDescription: 'Narrates a text.',
					resource: 'speech',
					operation: 'generate',
					responseFormat: 'mp3',
					model: { __rl: true, mode: 'id', value: 'fish-speech' },
					voice: { __rl: true, mode: 'list', value: 'default' },
					text: "={{ $fromAI('text', 'What is spoken', 'string') }}",
				}),
			],
			connections: { [TOOL]: { ai_tool: [[{ node: TRIGGER, type: 'ai_tool', index: 0 }]] } },
			settings: { executionOrder: 'v1' },
		},
		[bench.credential],
	);
	await bench.api.activate(saved);
	const call = await connectMcp(path);
	return async (text) => JSON.parse(await call(TOOL, { text })) as IDataObject[];
}

test('a call is never answered with the result of another client, or of an earlier call', async () => {
	const clients = [await connect(), await connect()];
	const atOnce = await Promise.all(clients.map(async (call) => await call('Hello.')));
	const later = await clients[0]('Hello.');
	expect(
		[...atOnce, later].map(([{ speech }]) => (speech as { segments: number }).segments),
	).toEqual([1, 1, 1]);
	expect(bench.sim.charged()).toEqual(Array(3).fill('Hello.'));
});
