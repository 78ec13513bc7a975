import type { Execution, NodeContext } from './execution';

/**
 * Whether anything runs behind an output of the node, from 0. A node that is switched off only passes on what it gets. Undefined
 * where n8n does not tell, as in its engine 2.0.
 */
export function isConnected(
	{ context, node, keepsMemory }: Execution,
	output: number,
): boolean | undefined {
	const { connectionsBySourceNode: connections, nodes } = context.workflow ?? {};
	if (!keepsMemory || !connections || !nodes) return undefined;
	const seen = new Set<string>();
	const leadsOn = (name: string, from: number): boolean =>
		(connections[name]?.main?.[from] ?? []).some(({ node: next }) => {
			if (seen.has(next) || !Object.hasOwn(nodes, next)) return false;
			seen.add(next);
			return nodes[next].disabled !== true || leadsOn(next, 0);
		});
	return leadsOn(node.name, output);
}

/**
 * Makes n8n end the execution with the error that the node throws next, although it is set to "Continue (using error output)":
 * there, n8n would put the input on Success. False where that cannot be.
 */
export function endOnError(context: NodeContext): boolean {
	const entry = context.getExecuteData?.();
	if (entry?.node.name !== context.getNode().name) return false;
	entry.node = { ...entry.node, onError: 'stopWorkflow' };
	return true;
}

/** In a retry with the original workflow, n8n goes on with the entry that `endOnError` has changed. */
export function undoEndOnError(context: NodeContext): void {
	const entry = context.getExecuteData?.();
	const { name } = context.getNode();
	const asSaved = context.workflow?.nodes?.[name];
	if (context.getMode() !== 'retry' || entry?.node.name !== name || !asSaved) return;
	if (asSaved.onError === 'continueErrorOutput') entry.node.onError = asSaved.onError;
}
