import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

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
