import type { IExecuteFunctions, IWorkflowSettings } from 'n8n-workflow';

/** Older versions of n8n, 2.0 among them, have no method for it; there, the context holds the workflow, which no type says. */
type SettingsContext = Partial<Pick<IExecuteFunctions, 'getWorkflowSettings'>> & {
	workflow?: { settings?: IWorkflowSettings };
};

/** The settings of the workflow that runs, such as `executionOrder` and `binaryMode`; empty where n8n tells none. */
export const workflowSettings = (context: SettingsContext): IWorkflowSettings =>
	context.getWorkflowSettings?.() ?? context.workflow?.settings ?? {};

/** Whether n8n keeps the execution if it fails, for a retry; as far as the workflow's settings say. */
export function isKeptOnFailure(
	context: SettingsContext & Partial<Pick<IExecuteFunctions, 'getMode'>>,
): boolean {
	const { saveManualExecutions, saveDataErrorExecution } = workflowSettings(context);
	return context.getMode?.() === 'manual'
		? saveManualExecutions !== false
		: saveDataErrorExecution !== 'none';
}
