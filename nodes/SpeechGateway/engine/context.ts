import type {
	IExecuteFunctions,
	IRunExecutionData,
	ISupplyDataFunctions,
	IWorkflowExecuteAdditionalData,
	IWorkflowSettings,
} from 'n8n-workflow';

/** What n8n's contexts have at run time beyond their types. */
interface Internals {
	additionalData?: Partial<IWorkflowExecuteAdditionalData>;
	runExecutionData?: Partial<IRunExecutionData>;
	/** Older versions, 2.0 among them, have no method for its settings. */
	workflow?: { settings?: IWorkflowSettings };
}

/** What a node that is executed and one that supplies a model have in common, in all versions of n8n. */
type Shared = Pick<
	IExecuteFunctions,
	Exclude<keyof IExecuteFunctions & keyof ISupplyDataFunctions, 'getWorkflowSettings'>
>;

/** n8n's context of a node; what only some kinds of nodes or versions of n8n have is optional. */
export type NodeContext = Shared & Partial<IExecuteFunctions> & Internals;

/** The settings of the workflow, such as `executionOrder` and `binaryMode`; empty where n8n tells none. */
export const settingsOf = (context: NodeContext): IWorkflowSettings =>
	context.getWorkflowSettings?.() ?? context.workflow?.settings ?? {};

/**
 * Whether n8n's engine 2.0 runs the node: it names executions by UUIDs instead of numbers, keeps nothing between two calls of a
 * node, and never calls a node again after a wait.
 */
export function isEngine2(context: NodeContext): boolean {
	const id = context.getExecutionId();
	return settingsOf(context).engineType === 'v2' || (id !== undefined && !/^\d+$/.test(id));
}
