import type { NodeCall, NodeContext } from './nodeCall';

/** Whether what the last node hands over on Success goes back to whoever started the workflow. */
export const returnsToCaller = ({ context, isSubWorkflow }: NodeCall): boolean =>
	isSubWorkflow || callerWaits(context);

/** Response modes of triggers whose answer is what the workflow's nodes return or stream. */
const ANSWERS_AT_THE_END: unknown[] = ['lastNode', 'streaming'];

/** Whether whoever called the workflow's trigger waits for the answer. */
function callerWaits(context: NodeContext): boolean {
	const runs = context.runExecutionData?.resultData?.runData ?? {};
	return context
		.getParentNodes(context.getNode().name, { includeNodeParameters: true })
		.some(
			({ name, type, parameters }) =>
				name in runs &&
				(ANSWERS_AT_THE_END.includes(parameters?.responseMode) || type.endsWith('.chatTrigger')),
		);
}
