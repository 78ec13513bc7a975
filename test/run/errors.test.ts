/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type IExecuteFunctions, type INode, NodeOperationError } from 'n8n-workflow';
import ts from 'typescript';
import { GatewayError, InputError } from '../../nodes/SpeechGateway/core/errors';
import { NodeCall } from '../../nodes/SpeechGateway/engine/nodeCall';
import { getMany } from '../../nodes/SpeechGateway/operations/model/getMany';
import { endpoints } from '../../nodes/SpeechGateway/gateway/endpoints';
import { Redactor } from '../../nodes/SpeechGateway/gateway/redact';
import { explainAnswer } from '../../nodes/SpeechGateway/requests/explain';
import { unreachable } from '../../nodes/SpeechGateway/requests/unreachable';
import { errorText } from '../../nodes/SpeechGateway/requests/errorText';
import { nodeError, runError } from '../../nodes/SpeechGateway/run/errors';
import { REPOSITORY } from '../support/n8n/install';

const node = { name: 'Speech Gateway', type: 'speechGateway', parameters: {} } as unknown as INode;

/** What n8n ends an execution as canceled for. */
const WORD = 'canceled';

/** Codes of the system: n8n puts its own words in the place of a message that has one, in any case and within other words. */
const CODES = (
	'ECONNREFUSED ECONNRESET ENOTFOUND ETIMEDOUT ERRADDRINUSE EADDRNOTAVAIL ECONNABORTED EHOSTUNREACH ' +
	'EAI_AGAIN ENOENT EISDIR ENOTDIR EACCES EEXIST EPERM EPIPE GETADDRINFO'
).split(' ');
const QUOTED = `${WORD}, ${CODES.join(', ')}, perm${CODES.join('ly, perm').toLowerCase()}ly`;
const REPLACED = new RegExp([WORD, ...CODES].join('|'), 'i');

/** The messages of all errors that a file makes, with those words wherever something is put in. */
function messagesIn(file: string): string[] {
	const messages: string[] = [];
	const visit = (at: ts.Node): void => {
		ts.forEachChild(at, visit);
		if (!ts.isNewExpression(at) || !at.expression.getText().endsWith('Error')) return;
		const [message] = at.arguments ?? [];
		if (message && ts.isStringLiteralLike(message)) messages.push(message.text);
		else if (message && ts.isTemplateExpression(message)) {
			const rest = message.templateSpans.map(({ literal }) => `${QUOTED}${literal.text}`);
			messages.push(message.head.text + rest.join(''));
		} else if (message) messages.push(QUOTED);
	};
	visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true));
	return messages;
}

/** n8n's side. */
const nodeCall = new NodeCall({
	getNode: () => node,
	getMode: () => 'trigger',
	getExecutionId: () => '1',
	getWorkflowSettings: () => ({}),
} as unknown as IExecuteFunctions);

test("no error that the source makes ends an execution as canceled or has n8n's own words, whatever is put into it", () => {
	const folder = path.join(REPOSITORY, 'nodes');
	const files = (readdirSync(folder, { recursive: true }) as string[])
		.filter((name) => name.endsWith('.ts'))
		.map((name) => path.join(folder, name));
	const messages = files.flatMap(messagesIn);
	expect(messages.length).toBeGreaterThan(50);
	for (const message of messages) {
		const error = new GatewayError(message, WORD, { httpCode: '500', code: WORD });
		const thrown = [
			nodeError(node, errorText(error)),
			nodeError(node, errorText(new Error(message))),
			nodeError(node, errorText(new InputError(message))),
			nodeError(node, { message, description: '', details: {} }),
			runError(nodeCall, {
				index: 0,
				count: 2,
				results: [{ branch: 'success', items: [] }],
				error: errorText(error),
				operation: getMany,
			}),
		];
		for (const one of thrown) {
			expect(one.message).not.toMatch(REPLACED);
			// As an agent, and a node for sub-workflows, wrap it.
			expect(new NodeOperationError(node, one).message).toBe(one.message);
		}
	}
});

test('nor does anything that the gateway or the network says', () => {
	const gateway = {
		addressOf: () => `https://${WORD}/v1/audio/speech`,
		redactor: new Redactor(''),
	};
	const named = { id: QUOTED, model: QUOTED, voice: QUOTED };
	for (let status = 300; status < 600; status++) {
		for (const body of [QUOTED, { error: { message: QUOTED, code: QUOTED, param: QUOTED } }]) {
			for (const about of [named, { ...named, kind: 'job' as const }]) {
				const { error } = explainAnswer(gateway, endpoints.speech, about, { status, body });
				expect(nodeError(node, errorText(error)).message).not.toMatch(REPLACED);
			}
		}
	}
	for (const failure of ['timeout', 'lost', 'notSent'] as const) {
		const unanswered = { failure, code: 'ERR_CANCELED', detail: QUOTED };
		const error = unreachable(unanswered, `https://${WORD}`);
		expect(nodeError(node, errorText(error)).message).not.toMatch(REPLACED);
	}
});

test.each([{}, { httpCode: '503' }])(
	"n8n's own words for a code of the system do not replace ours: they say to retry",
	(details) => {
		const message = 'The gateway refused (502): "read ECONNRESET, (getaddrInfo: permENOENTly)"';
		const said = 'The gateway refused (502): "a system error, (a system error: permE-NOENTly)"';
		const error = nodeError(node, { message, description: 'read ECONNRESET', details });
		expect(error).toMatchObject({ message: said, description: 'read ECONNRESET' });
		// As an agent wraps it.
		expect(new NodeOperationError(node, error).message).toBe(said);
	},
);

test('what the system says stands in the description', () => {
	const quoting = errorText(new GatewayError('The job "preexisting" failed', 'It was charged.'));
	expect(quoting.message).toBe('The job "pre-existing" failed');
	expect(quoting.description).toBe('It was charged. In full: "The job "preexisting" failed".');
	const said = "EACCES: permission denied, open '/data/a.mp3'";
	const { message, description } = errorText(new Error(said));
	expect(message).not.toMatch(REPLACED);
	expect(description).toContain(said);
});

test('the details are in the context, the status in its own place', () => {
	const details = { httpCode: '402', jobId: 'spj_1' };
	const error = nodeError(node, { message: 'No.', description: '', details });
	expect(error.context).toMatchObject({ jobId: 'spj_1' });
	expect(error).toMatchObject({ httpCode: '402' });
});

test('the title of an error has one number of the item: the editor adds its own to none', () => {
	const failure = {
		index: 1,
		results: [],
		error: errorText(new InputError('No.')),
		operation: getMany,
	};
	const errorOf = (count: number) => runError(nodeCall, { ...failure, count });
	expect(errorOf(5).message).toBe('No. (item 2 of 5)');
	// The editor appends this one, counted from 0, wherever there is one.
	expect(errorOf(5).context.itemIndex).toBeUndefined();
});
