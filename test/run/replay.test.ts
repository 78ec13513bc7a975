import { Replay } from '../../nodes/SpeechGateway/run/requests/replay';

let runs = 0;
const agentRun = () => `agent run ${++runs}`;

test('a later attempt is given the answers of the earlier one, each once', () => {
	const run = agentRun();
	const first = new Replay(run);
	expect(first.next('a')).toBeUndefined();
	first.add('a', 'one');
	expect(first.next('a')).toBeUndefined();
	first.add('a', 'two');

	const second = new Replay(run);
	expect([second.next('a'), second.next('a'), second.next('a')]).toEqual(['one', 'two', undefined]);
	expect(second.next('b')).toBeUndefined();
});

test('another run of the agent is given nothing', () => {
	const replay = new Replay(agentRun());
	replay.next('a');
	replay.add('a', 'one');
	expect(new Replay(agentRun()).next('a')).toBeUndefined();
});

test('old agent runs are forgotten', () => {
	const oldest = agentRun();
	new Replay(oldest).add('a', 'one');
	for (let count = 0; count < 199; count++) new Replay(agentRun()).add('a', 'other');
	expect(new Replay(oldest).next('a')).toBe('one');
	new Replay(agentRun()).add('a', 'other');
	expect(new Replay(oldest).next('a')).toBeUndefined();
});

test('an agent run that is still at work is not old', () => {
	const first = agentRun();
	const second = agentRun();
	new Replay(first).add('a', 'one');
	new Replay(second).add('a', 'one');
	for (let count = 0; count < 198; count++) new Replay(agentRun()).add('a', 'other');
	new Replay(first).add('b', 'two');
	new Replay(agentRun()).add('a', 'other');
	expect(new Replay(first).next('a')).toBe('one');
	expect(new Replay(second).next('a')).toBeUndefined();
});
