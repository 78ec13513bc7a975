/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
/* Whoever looks for a fault sees, at the socket, the whole way that a request has come. */
import { Socket } from 'node:net';
import { runNode, speechNode, texts, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1 });

test("a stack trace taken at the socket names every step of the node, and n8n's behind them", async () => {
	const { stackTraceLimit } = Error;
	Error.stackTraceLimit = 100;
	const traces: string[] = [];
	const { connect } = Socket.prototype;
	const connecting = jest.spyOn(Socket.prototype, 'connect').mockImplementation(function (
		this: Socket,
		...args: unknown[]
	) {
		traces.push(String(new Error('At the socket').stack));
		return Reflect.apply(connect, this, args) as Socket;
	});
	await runNode({
		url: sim.url,
		apiKey: sim.apiKey,
		items: texts(2),
		parameters: speechNode({ concurrency: 1 }),
	}).finally(() => {
		connecting.mockRestore();
		Error.stackTraceLimit = stackTraceLimit;
	});
	// By file: what a compiler calls its functions is its own affair.
	const files = [...traces[0].matchAll(/\/(\w+)(?:\.node)?\.(?:ts|js):\d+:\d+\)?$/gm)];
	const names = files.map(([, name]) => name);
	const way = [
		'transport',
		'exchange',
		'itemRequests',
		'itemTurns',
		'speak',
		'speakSegments',
		'itemRun',
		'startInOrder',
		'attempt',
		'runItems',
		'SpeechGateway',
	];
	const seen = names.filter((name, index) => way.includes(name) && names.indexOf(name) === index);
	expect(seen).toEqual(way);
	expect(traces[0].split('SpeechGateway.node')[1]).toMatch(/workflow-execute/);
});
