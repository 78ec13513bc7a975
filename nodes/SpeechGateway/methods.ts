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

/** The methods behind the lists of models and voices, named in the locators of `fields/`. */
export const searchModels = listed('searchModels');
export const searchOwnVoices = listed('searchOwnVoices');
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
