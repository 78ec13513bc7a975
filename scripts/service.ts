/* eslint-disable @n8n/community-nodes/no-restricted-globals -- runs outside n8n */

/** The service that `npm run demo` and `npm run check:gateway` use, as a person sets it in variables. */
export interface ChosenService {
	/** In any form that the credential takes. */
	baseUrl: string;
	/** Empty: the service wants none, and is taken for one that charges nothing. */
	apiKey: string;
	model?: string;
	/** An ID. */
	voice?: string;
}

/** What to set, in words. */
export const VARIABLES = `SPEECH_GATEWAY_BASE_URL, and as far as the service needs them SPEECH_GATEWAY_API_KEY,
SPEECH_GATEWAY_MODEL and SPEECH_GATEWAY_VOICE (an ID)`;

/** The service that the variables name; undefined without an address. */
export function chosenService({ env } = process): ChosenService | undefined {
	const [baseUrl, apiKey, model, voice] = ['BASE_URL', 'API_KEY', 'MODEL', 'VOICE'].map(
		(name) => env[`SPEECH_GATEWAY_${name}`] || undefined,
	);
	return baseUrl === undefined ? undefined : { baseUrl, apiKey: apiKey ?? '', model, voice };
}
