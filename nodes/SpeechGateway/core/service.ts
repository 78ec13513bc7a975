/**
 * The one service that this package is for: credential, codex files and documents take their words from here. To be set
 * before the first release; a test names what else must change then.
 */
export const SERVICE = {
	name: 'Speech Gateway',
	/** Address of its API, the default of the credential. Empty as long as it has no public one. */
	baseUrl: '',
	exampleUrl: 'https://gateway.example.com/v1',
	/** Where it is documented, and how the credential is filled in. */
	documentationUrl: 'https://github.com/n8n-nodes-speech-gateway/n8n-nodes-speech-gateway#readme',
	credentialUrl:
		'https://github.com/n8n-nodes-speech-gateway/n8n-nodes-speech-gateway#your-first-audio',
} as const;
