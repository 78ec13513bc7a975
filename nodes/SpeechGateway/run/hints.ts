import type { IExecuteFunctions } from 'n8n-workflow';
import type { Settled } from './branches';

/** What the editor shows when the node has finished: each hint once, and how many items need a look. */
export function giveHints(
	context: IExecuteFunctions,
	hints: Iterable<string>,
	settled: Settled[],
): void {
	for (const message of hints) {
		context.addExecutionHints?.({ message, type: 'info', location: 'outputPane' });
	}
	const reasons = settled.flatMap((outcome) =>
		'branch' in outcome && outcome.branch === 'unknown' ? [outcome.items[0]?.json.reason] : [],
	);
	if (reasons.length === 0) return;
	const sentEarlier = reasons.every((reason) => reason === 'already_sent');
	const count = `${reasons.length} of ${settled.length} ${settled.length === 1 ? 'item' : 'items'}`;
	const [them, were] = reasons.length === 1 ? ['it', 'was'] : ['them', 'were'];
	context.addExecutionHints?.({
		message: sentEarlier
			? `${count} ${were} sent earlier and skipped: nothing was charged for ${them} now.`
			: `Outcome unknown for ${count}: possibly charged. Nothing was sent twice, but another click on Execute would send and charge ${them} again. See the branch "Unknown".`,
		type: 'warning',
		location: 'outputPane',
	});
}
