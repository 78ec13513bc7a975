/**
 * What services, gateways and home servers answered in place of a result when they were run: each answer, as the only one
 * that an item gets, over HTTP. `then`: the branch, how often the request was sent, and the first words that a person reads.
 */
/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { item, runNode } from '../engine/support';
import { useVirtualTime } from '../support/clock';
import { testedWith } from './cases';
import { PlayedService, type RecordedAnswer } from './service';
import { type Service, type ServiceName, SERVICES } from './table';

useVirtualTime();

interface Refusal extends RecordedAnswer {
	/** Of the service. */
	version: string;
	/** Fields of the form, where the answer depends on them. */
	asked?: { model?: string; voice?: string };
	/** By the gateway's own book, in its units; absent: it was run without one. */
	charged?: number;
	then: [branch: 'Success' | 'Unknown' | 'Error', sent: number, says: string];
}

const REFUSALS = readFileSync(path.join(__dirname, 'refusals.jsonl'), 'utf8')
	.trim()
	.split('\n')
	.map((line) => JSON.parse(line) as Refusal);

/** Gateways that are not in the table are none of one's own. */
const serviceOf = (name: string): Partial<Service> => SERVICES[name as ServiceName] ?? {};

/** The form by which a request is sent. */
function formFor({ request, service, asked = {}, case: brought }: Refusal): IDataObject {
	const { model = serviceOf(service).model ?? 'fish-speech', voice = 'default' } = asked;
	const byId = (value: string) => ({ __rl: true, mode: 'id', value });
	const address = request.split(' ')[1];
	const speech = { model: byId(model), text: 'Hello.', voice: byId(voice), responseFormat: 'mp3' };
	const messages = { values: [{ role: 'user', content: 'Hello.' }] };
	const stream = brought.includes('stream');
	const forms: Array<[RegExp, string, string, IDataObject]> = [
		[/\/speech$/, 'speech', 'generate', speech],
		[/\/jobs$/, 'speechJob', 'create', speech],
		[/\/chat\//, 'chat', 'complete', { model: byId(model), messages, options: { stream } }],
		[/\/videos$/, 'video', 'create', { model: byId(model), prompt: 'A boat.' }],
		[/\/content$/, 'video', 'download', { videoId: 'task_1' }],
		[/\/videos\//, 'video', 'get', { videoId: 'task_1' }],
	];
	const [, resource, operation, { options = {}, ...fields }] = forms.find(([sign]) =>
		sign.test(address),
	)!;
	return {
		resource,
		operation,
		...fields,
		options: { maxRetries: 4, ...(options as IDataObject) },
	};
}

/** What becomes of one item whose every request is answered so. */
async function outcomeOf(refusal: Refusal): Promise<Refusal['then']> {
	const { service: name, request } = refusal;
	const { free = false, apiKey = 'own' } = serviceOf(name);
	const played = await new PlayedService(name, [refusal]).listen();
	try {
		const credential = () => ({
			apiKey: apiKey === 'none' ? '' : played.apiKey,
			baseUrl: played.url,
			costsNothing: free,
		});
		if (request === 'GET /v1/models') {
			const { branch, says } = await testedWith(credential());
			return [branch, played.asked.length, says];
		}
		const { outputs, hints } = await runNode({
			parameters: formFor(refusal),
			items: [item({})],
			onError: 'continueErrorOutput',
			url: played.url,
			apiKey: played.apiKey,
			credential,
		});
		const sent = played.asked.filter((address) => address === request).length;
		const [one] = outputs.flat();
		const { error } = one.json as { error?: IDataObject };
		if (error)
			return ['Error', sent, [error.message, error.description].filter(Boolean).join('. ')];
		if (outputs[0].length > 0) return ['Success', sent, hints.join(' ')];
		return ['Unknown', sent, String(one.json.message)];
	} finally {
		await played.close();
	}
}

test.each(REFUSALS.map((one) => [one.service, one.request, one.case, one] as const))(
	'%s: %s, %s',
	async (_service, _request, _case, refusal) => {
		const { charged, then } = refusal;
		const [branch, sent, says] = await outcomeOf(refusal);
		expect([branch, sent, says.slice(0, then[2].length)]).toEqual(then);
		// Whatever the book says of the words, what it has charged is not sent again.
		if (charged && refusal.request.startsWith('POST')) expect(sent).toBe(1);
	},
);

test('the rows say nothing of the machine they were run on', () => {
	for (const row of REFUSALS)
		expect(JSON.stringify(row)).not.toMatch(
			/localhost|127\.0|\b10\.\d|\/(?:home|root|tmp|work|usr)\//,
		);
});
