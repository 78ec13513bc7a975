/* eslint-disable @n8n/community-nodes/require-node-api-error -- runs outside n8n */
import { gatewayRoot } from '../../nodes/SpeechGateway/gateway/baseUrl';

/** What comes back, read to its end. */
export interface Answer {
	status: number;
	headers: Headers;
	bytes: Buffer;
	/** Undefined: it is no JSON. */
	json?: unknown;
}

/** A question that was not asked, and why. */
export class NotSent extends Error {}

/** Free requests are repeated when no answer comes; billed ones never. */
const FREE_TRIES = 3;

/** Tokens that may still be spent. They are taken before a request leaves, whatever becomes of it. */
export class Budget {
	spent = 0;

	constructor(
		private readonly limit: number,
		private readonly multiplier: number,
	) {}

	/** `isMultiplied`: whether the multiplier of the model applies. Throws NotSent when that is more than is left. */
	take(tokens: number, isMultiplied = true): void {
		const price = isMultiplied ? tokens * this.multiplier : tokens;
		const left = this.limit - this.spent;
		if (price > left) throw new NotSent(`not asked: ${price} tokens, of ${left} left`);
		this.spent += price;
	}
}

export class Gateway {
	private readonly root: string;

	constructor(
		private readonly options: { apiKey: string; baseUrl: string; timeoutMs: number },
		readonly budget: Budget,
	) {
		this.root = gatewayRoot(options.baseUrl);
	}

	/** GET and DELETE cost nothing. */
	async free(method: 'GET' | 'DELETE', path: string, key = this.options.apiKey): Promise<Answer> {
		for (let tries = 1; ; tries++) {
			try {
				return await this.send(method, path, key);
			} catch (error) {
				if (tries === FREE_TRIES) throw error;
			}
		}
	}

	/** Sent at most once. An object goes as JSON. Throws NotSent beyond the budget. */
	async billed(
		path: string,
		body: object,
		{ tokens, isMultiplied }: { tokens: number; isMultiplied?: boolean },
	): Promise<Answer> {
		this.budget.take(tokens, isMultiplied);
		return await this.send('POST', path, this.options.apiKey, body);
	}

	/** A text without the key, whatever the gateway made of it. */
	redact(text: string): string {
		return text.replaceAll(this.options.apiKey, '***');
	}

	private async send(method: string, path: string, key: string, body?: object): Promise<Answer> {
		const isForm = body instanceof FormData;
		const response = await fetch(this.root + path, {
			method,
			headers: {
				authorization: `Bearer ${key}`,
				...(body && !isForm && { 'content-type': 'application/json' }),
			},
			body: isForm ? body : body && JSON.stringify(body),
			// What is billed must not be sent on, and a key not to another host.
			redirect: 'manual',
			signal: AbortSignal.timeout(this.options.timeoutMs),
		});
		const bytes = Buffer.from(await response.arrayBuffer());
		return { status: response.status, headers: response.headers, bytes, json: parsed(bytes) };
	}
}

function parsed(bytes: Buffer): unknown {
	try {
		return JSON.parse(bytes.toString()) as unknown;
	} catch {
		return undefined;
	}
}
