import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	ILoadOptionsFunctions,
	INodeCredentialTestResult,
	INodeListSearchResult,
} from 'n8n-workflow';

type Lists = typeof import('./operations/listSearch');

/** A list of the editor. What fetches it is loaded when it is opened, not whenever one of n8n's processes starts. */
const listed = (name: keyof Lists) =>
	async function (this: ILoadOptionsFunctions, filter?: string): Promise<INodeListSearchResult> {
		const lists = await import('./operations/listSearch');
		return await lists[name].call(this, filter);
	};

/** The list of a "Model" field; fields name these methods, see `locatorProperty`. */
export const searchModels = listed('searchModels');

/** The list of voices that can be deleted: the account's own. */
export const searchOwnVoices = listed('searchOwnVoices');

/** The list of voices that can speak: the default one, too. */
export const searchVoicesWithDefault = listed('searchVoicesWithDefault');

/**
 * The credential's test. A function, because the rules of n8n's declarative test compare single values: they cannot tell a list
 * of models, which may be a bare array or empty, from any other answer.
 */
export async function testGateway(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const { testCredential } = await import('./operations/testCredential');
	return await testCredential(this, data);
}
