import type { IWorkflowExecuteAdditionalData } from 'n8n-workflow';
import type { NodeContext } from './execution';

/** What n8n resolves to the same for all items: secrets of a vault, variables of this n8n and of its environment. */
const SAME_FOR_ALL = /^=(?:[^{]|\{\{\s*\$(?:secrets|vars|env)\b[\w.[\]'"-]*\s*\}\})*$/;

type CredentialContext = Pick<NodeContext, 'getNode' | 'getMode' | 'additionalData'>;

/**
 * Whether the credential may say something else for each item. n8n resolves the expressions in it by item, and queries its
 * database each time; one look at it as it is stored spares that where there are none. True where n8n does not show it.
 */
export async function variesByItem(context: CredentialContext, type: string): Promise<boolean> {
	const { additionalData } = context;
	const details = context.getNode().credentials?.[type];
	if (!details) return false;
	if (!isComplete(additionalData)) return true;
	const isRaw = true;
	return await additionalData.credentialsHelper
		.getDecrypted(additionalData, details, type, context.getMode(), undefined, isRaw)
		.then((stored) => Object.values(stored).some(isByItem))
		.catch(() => true);
}

const isComplete = (data: NodeContext['additionalData']): data is IWorkflowExecuteAdditionalData =>
	typeof data?.credentialsHelper?.getDecrypted === 'function';

const isByItem = (value: unknown): boolean =>
	typeof value === 'string' && value.startsWith('=') && !SAME_FOR_ALL.test(value);
