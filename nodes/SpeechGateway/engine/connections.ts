import type { NodeCall, NodeContext } from './nodeCall';

/**
 * Whether anything runs behind an output of the node, from 0. A node that is switched off only passes on what it gets.
 * Undefined where n8n does not tell, as in its engine 2.0.
 */
export function isConnected(
	{ context, node, keepsMemory }: NodeCall,
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
 * Makes n8n end the execution with the node's next error, although it is set to "Continue (using error output)", where
 * n8n would put the input on Success instead. False where the node's entry in n8n's stack cannot be reached.
 */
export function endOnError(context: NodeContext): boolean {
	const entry = context.getExecuteData?.();
	if (entry?.node.name !== context.getNode().name) return false;
	entry.node = { ...entry.node, onError: 'stopWorkflow' };
	return true;
}

/** Takes `endOnError` back: a retry with the original workflow starts from the entry that it has changed. */
export function undoEndOnError(context: NodeContext): void {
	const entry = context.getExecuteData?.();
	const { name } = context.getNode();
	const asSaved = context.workflow?.nodes?.[name];
	if (context.getMode() !== 'retry' || entry?.node.name !== name || !asSaved) return;
	if (asSaved.onError === 'continueErrorOutput') entry.node.onError = asSaved.onError;
}
