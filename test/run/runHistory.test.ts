import type { ITaskMetadata } from 'n8n-workflow';
import { Ledger } from '../../nodes/SpeechGateway/run/requests/ledger';
import {
	firstExecutionId,
	remember,
	type RunHistoryContext,
} from '../../nodes/SpeechGateway/run/requests/runHistory';

test("a tool's run that has answered still says which execution was the first, also where n8n 1 keeps one note", () => {
	let metadata: ITaskMetadata = {};
	const node = { name: 'Speech' } as ReturnType<RunHistoryContext['getNode']>;
	const context = {
		getNode: () => node,
		getContext: () => ({}),
		getExecutionId: () => '7',
		setMetadata: (added: ITaskMetadata) => (metadata = { ...metadata, ...added }),
	} as unknown as RunHistoryContext & ConstructorParameters<typeof Ledger>[0];

	const ledger = new Ledger(context, 'speechGateway', 'call');
	remember(context, { firstExecutionId: ledger.firstExecutionId });
	ledger.closeCall();

	const runData = { Speech: [{ metadata }] };
	const retry = { ...context, runExecutionData: { resultData: { runData } } };
	expect(firstExecutionId(retry as unknown as RunHistoryContext)).toBe('7');
});
