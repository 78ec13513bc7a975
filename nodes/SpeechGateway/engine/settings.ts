import type { IWorkflowSettings } from 'n8n-workflow';
import type { NodeContext } from './context';

/** The settings of the workflow, such as `executionOrder` and `binaryMode`; empty where n8n tells none. */
export const settingsOf = (context: NodeContext): IWorkflowSettings =>
	context.getWorkflowSettings?.() ?? context.workflow?.settings ?? {};

/** Whether n8n keeps the execution if it fails, for a retry; as far as the workflow's settings say. */
export function isKeptOnFailure(context: NodeContext): boolean {
	const { saveManualExecutions, saveDataErrorExecution } = settingsOf(context);
	return context.getMode() === 'manual'
		? saveManualExecutions !== false
		: saveDataErrorExecution !== 'none';
}
