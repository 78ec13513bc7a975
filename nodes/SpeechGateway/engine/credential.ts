import type { IWorkflowExecuteAdditionalData } from 'n8n-workflow';
import type { NodeContext } from './nodeCall';

/** What n8n resolves to the same for all items: secrets of a vault, variables of this n8n and of its environment. */
const SAME_FOR_ALL = /^=(?:[^{]|\{\{\s*\$(?:secrets|vars|env)\b[\w.[\]'"-]*\s*\}\})*$/;

type CredentialContext = Pick<NodeContext, 'getNode' | 'getMode' | 'additionalData'>;

/**
 * Whether the credential may differ from item to item. n8n resolves its expressions for each item, with a query of its
 * database each time; one look at the stored credential spares that where it has no such expression. True where n8n
 * does not show it.
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
