import type {
	IAuthenticateGeneric,
	Icon,
	ICredentialTestRequest,
	ICredentialType,
	INodeProperties,
} from 'n8n-workflow';

export class SpeechGatewayApi implements ICredentialType {
	name = 'speechGatewayApi';

	displayName = 'Speech Gateway API';

	icon: Icon = { light: 'file:speechGateway.svg', dark: 'file:speechGateway.dark.svg' };

	documentationUrl =
		'https://github.com/n8n-nodes-speech-gateway/n8n-nodes-speech-gateway#credential';

	properties: INodeProperties[] = [
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description: 'The key from the console of your gateway',
		},
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://gateway.example.com/v1',
			description: 'The address of your gateway, with or without /v1 at the end',
		},
	];

	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } },
	};

	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{ $credentials.baseUrl.trim().replace(/\\/+$/, "").replace(/(\\/v1)+$/, "") }}',
			url: '/v1/models',
		},
	};
}
