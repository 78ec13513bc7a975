/* What people read after a fault: which item, what is known of its charge, what is done and paid, what not to do, what to do; then the words of others. */
import type { IDataObject } from 'n8n-workflow';
import { withCredentialName } from '../../../nodes/SpeechGateway/requests/errorText';
import type { Fault } from '../../support/simulator';
import { type EngineRun, item, runnerOf, speechNode, texts, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1 });

const run = runnerOf(sim, () => ({ parameters: speechNode({ concurrency: 1 }) }));
const keyed = { parameters: speechNode({ concurrency: 1, sendOnceKey: '={{ $json.text }}' }) };

/** The parts of what is said, each behind the one before. */
function expectInOrder(said: string | null | undefined, parts: Array<string | RegExp>): void {
	let rest = said ?? '';
	for (const part of parts) {
		const at = typeof part === 'string' ? rest.indexOf(part) : rest.search(part);
		expect([part, at >= 0 ? 'found' : `not in: ${rest}`]).toEqual([part, 'found']);
		rest = rest.slice(at + 1);
	}
}

const CLICK = 'Another click on Execute sends all 5 again, and charges them.';

test('a refusal among five', async () => {
	sim.fault({ input: 'number 2.', status: 402 });
	const { error } = await run({ items: texts(5) });
	expect(error?.message).toBe('The account balance is too low (402) (item 3 of 5)');
	expectInOrder(error?.description, [
		/^Item 3: "Sentence number 2\." This request was not charged\. /,
		'2 of 5 items are done, paid and kept. ',
		CLICK,
		'Top up the account',
		'open "Executions" and retry this execution, if it was saved: what is done is not sent or charged again.',
		/The gateway says: ".*"\. Request ID: req_\w+\.$/,
	]);
});

test('a refusal of the only item', async () => {
	sim.fault({ input: 'number 0.', status: 402 });
	const { error } = await run({ items: texts(1) });
	expectInOrder(error?.description, [
		/^This request was not charged\. /,
		'Top up the account',
		/The gateway says: ".*"\. Request ID: req_\w+\.$/,
	]);
	expect(error?.description).not.toMatch(/Another click|Sentence number|Executions/);
});

test('a refusal of a segment, behind others that are done', async () => {
	sim.fault({ input: 'second', status: 402 });
	const text = 'The first part is here. And the second is there.';
	const parameters = speechNode({ concurrency: 1, maxSegmentCharacters: 25 });
	const { error } = await run({ parameters, items: [item({ text })] });
	expectInOrder(error?.description, [
		/^Segment 2 of 2 is: "And the second is there\." This request was not charged\. /,
		'1 of 2 requests was charged. 1 of 2 segments is done, paid and kept. ',
		'Another click on Execute sends all 2 again, and charges them.',
		'Top up the account',
		'retry this execution',
		'The gateway says',
	]);
});

test('a page: at most two lines of it', async () => {
	const line = 'We could not find what you were looking for on this server today. ';
	const body = `<!DOCTYPE html><html><body><h1>Oops</h1><p>${line.repeat(20)}</p></body></html>`;
	sim.fault({ input: 'number 2.', status: 451, body });
	const { error } = await run({ items: texts(5) });
	const [, words = ''] = /The answer says: "(.*?)"/.exec(error?.description ?? '') ?? [];
	expect(words).toMatch(/^Oops We could not find .*…$/);
	expect(words.length).toBeLessThanOrEqual(180);
	expectInOrder(error?.description, ['Item 3:', CLICK, 'The answer says']);
});

test('one that is unknown beside those that are done: what is connected to nothing, and both ways on', async () => {
	sim.fault({ input: 'number 2.', status: 504, charge: true });
	const { error } = await run({ items: texts(5), behind: [] });
	expect(error?.message).toBe(
		'Item 3 of 5 has no audio; nobody knows yet whether it was charged (504), and nothing is connected to "Unknown"',
	);
	expectInOrder(error?.description, [
		/^It begins with "Sentence number 2\." /,
		'The other 4 are done, paid and kept. ',
		CLICK,
		'Connect "Unknown" to a step that tells somebody when an item may have been charged.',
		'open "Executions" and retry this execution (if it was saved) with "Retry with currently saved workflow", which is free: nothing is sent again, and the item leaves on "Unknown".',
		'Look up whether it was charged',
		/It is not known whether the request was carried out: .*\(504\).*"\.?$/,
	]);
});

test('several that are unknown, and one alone', async () => {
	const LOST: Fault = { status: 504, charge: true };
	sim.fault({ ...LOST, input: 'number 1.' });
	sim.fault({ ...LOST, input: 'number 3.' });
	const several = await run({ items: texts(5), behind: [] });
	expect(several.error?.message).toMatch(
		/^2 of 5 items have no audio; nobody knows yet whether they were charged \(504\), and/,
	);
	expectInOrder(several.error?.description, [
		'The first begins with "Sentence number 1."',
		'The other 3 are done',
	]);
	sim.fault({ ...LOST, input: 'number 0.' });
	const alone = await run({ items: texts(1), behind: [] });
	expect(alone.error?.message).toMatch(
		/^This item has no audio; nobody knows yet whether it was charged \(504\), and nothing/,
	);
	expect(alone.error?.description).toContain(
		'Another click on Execute sends it again, and charges it.',
	);
	expect(alone.error?.description).not.toContain('The other');
});

test.each<[string, IDataObject, string]>([
	[
		'video',
		{ resource: 'video', operation: 'create', model: 'sim-video', prompt: '={{ $json.text }}' },
		'no video',
	],
	[
		'chat',
		{
			resource: 'chat',
			operation: 'complete',
			messages: { values: [{ role: 'user', content: '={{ $json.text }}' }] },
		},
		'no answer',
	],
])('of a %s', async (_, parameters, words) => {
	sim.fault({ method: 'POST', status: 504, charge: true });
	const model = { model: 'sim-chat', ...parameters };
	const { error } = await run({ parameters: model, items: texts(1), behind: [] });
	expect(error?.message).toContain(`This item has ${words}; nobody knows yet`);
});

test('the hint on a batch of which one is unknown', async () => {
	sim.fault({ input: 'number 0.', status: 504, charge: true });
	const { hints } = await run({ items: texts(5) });
	expect(hints).toEqual([
		`Outcome unknown for 1 of 5 items: possibly charged. ${CLICK} See the branch "Unknown".`,
	]);
});

test('with a Send Once Key, a click sends nothing again: nothing is said of it', async () => {
	const LOST: Fault = { input: 'number 2.', status: 504, charge: true };
	sim.fault({ input: 'number 2.', status: 402 });
	const of = (name: string): Partial<EngineRun> => ({ ...keyed, items: texts(5), nodeId: name });
	const refused = await run(of('refused'));
	sim.fault(LOST);
	const unknown = await run(of('unknown'));
	sim.fault(LOST);
	const unheard = await run({ ...of('unheard'), behind: [] });
	const said = [refused.error?.description, unheard.error?.description, ...unknown.hints];
	expect(said).toHaveLength(3);
	for (const words of said) expect(words).not.toContain('Another click');
	expect(refused.error?.description).toContain('retry this execution');
});

test('errors name the credential as its owner does', async () => {
	const wrong = { apiKey: 'sk-wrong-wrong-wrong', items: texts(1) };
	const { error } = await run(wrong);
	expect(error?.description).toContain(
		'Check the API key in the credential "Speech Gateway API": ',
	);
	const { outputs } = await run({ ...wrong, onError: 'continueErrorOutput' });
	expect(outputs[2][0].json.error).toMatchObject({
		description: expect.stringContaining('in the credential "Speech Gateway API": '),
	});
	const named = { credentials: { speechGatewayApi: { id: '1', name: 'Key of $1 "Anna"' } } };
	expect(withCredentialName('Set the credential back.', named)).toBe(
		'Set the credential "Key of $1 "Anna"" back.',
	);
	expect(withCredentialName('Set the credential back.', {})).toBe('Set the credential back.');
});

test('a base URL that answers everything with a page: the words of the credential’s test', async () => {
	const body = '<!doctype html><html><body>Sign in to continue</body></html>';
	sim.fault({ path: '/v1/audio/speech', status: 200, body });
	const { outputs } = await run({ items: texts(1) });
	expectInOrder(String(outputs[1][0].json.message), [
		'it looks like a web page: "Sign in to continue". The base URL may be the address of a website, such as the console',
	]);
});
