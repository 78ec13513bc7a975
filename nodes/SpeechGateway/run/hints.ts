import type { Execution } from '../engine/execution';
import type { Settled } from './branches';

/** Shows the hints of a finished run, each once, and how many items have an unknown outcome. */
export function giveHints(execution: Execution, hints: Iterable<string>, settled: Settled[]): void {
	for (const hint of hints) execution.hint(hint);
	const reasons = settled.flatMap((outcome) =>
		'branch' in outcome && outcome.branch === 'unknown' ? [outcome.items[0]?.json.reason] : [],
	);
	if (reasons.length === 0) return;
	const sentEarlier = reasons.every((reason) => reason === 'already_sent');
	const count = `${reasons.length} of ${settled.length} ${settled.length === 1 ? 'item' : 'items'}`;
	const [them, were] = reasons.length === 1 ? ['it', 'was'] : ['them', 'were'];
	execution.hint(
		sentEarlier
			? `${count} ${were} sent earlier and skipped: nothing was charged for ${them} now.`
			: `Outcome unknown for ${count}: possibly charged. Nothing was sent twice, but another click on Execute would send and charge ${them} again. See the branch "Unknown".`,
		'warning',
	);
}
