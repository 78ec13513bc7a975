import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';
import { authorization } from '../nodes/SpeechGateway/core/apiKey';
import { SERVICE } from '../nodes/SpeechGateway/core/service';

/**
 * An expression may have a value for the items of a workflow only: then n8n leaves the field out in the editor and in
 * the test.
 */
const FOR_EACH_ITEM = { ignoreCredentialExpressionResolveError: true };

/**
 * Key and address of a gateway. Read for each item, so an expression can let each row pay with its own key. It also
 * works in n8n's HTTP Request node, as a predefined type. The node's `testGateway` tests it.
 */
export class SpeechGatewayApi implements ICredentialType {
	name = 'speechGatewayApi';

	displayName = `${SERVICE.name} API`;

	icon: Icon = { light: 'file:speechGateway.svg', dark: 'file:speechGateway.dark.svg' };

	documentationUrl: string = SERVICE.credentialUrl;

	properties: INodeProperties[] = [
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true, ...FOR_EACH_ITEM },
			default: '',
			description:
				'It is sent to the gateway only, as "Authorization: Bearer …", and never shown in items or errors',
			hint: 'Create a key in the console of your service and paste it here',
		},
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			typeOptions: FOR_EACH_ITEM,
			required: true,
			default: SERVICE.baseUrl,
			placeholder: `e.g. ${SERVICE.exampleUrl}`,
			description:
				'The address in front of /audio/speech, with or without https:// and /v1. Use http:// only for a server on the same machine or network: the API key would travel unencrypted.',
			hint: "In the service's console, beside the API key; not the console's own address",
		},
		{
			displayName: 'Requests Cost Nothing',
			name: 'costsNothing',
			type: 'boolean',
			default: false,
			description:
				'Whether this is a server of your own that charges for nothing. Then whatever fails is tried again, no charges or prices are told, and the API key may be empty.',
		},
	];

	/**
	 * A function, because n8n's declarative form evaluates an expression for each request: 0.7 ms of CPU every time. Not a
	 * method: n8n's list of credentials would lose it, and HTTP Request only offers those that have it there.
	 */
	authenticate = async (
		{ apiKey }: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => ({
		...request,
		headers: { ...request.headers, ...authorization(apiKey) },
	});
}
