import type { IWorkflowSettings } from 'n8n-workflow';
import type { NodeContext } from './context';

/** The settings of the workflow, such as `executionOrder` and `binaryMode`; empty where n8n tells none. */
export const settingsOf = (context: NodeContext): IWorkflowSettings =>
	context.getWorkflowSettings?.() ?? context.workflow?.settings ?? {};
