import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	IExecuteFunctions,
} from 'n8n-workflow';
import { asError, InputError } from '../core/errors';
import { Redactor } from './redact';

export const CREDENTIAL = 'speechGatewayApi';

/**
 * How long the credential is cached, ms. Each read makes n8n query its database and decrypt, which takes more CPU than the
 * rest of a short request. A key that is replaced during a long wait is still picked up soon.
 */
const READING_HOLDS_MS = 5_000;
/** A key of this length cannot be part of a URL by chance. */
const SECRET_LENGTH = 12;

type Context = Pick<IExecuteFunctions, 'getCredentials'>;

export class Account {
	readonly redactor: Redactor;
	private key: string;
	private readAt = performance.now();

	private constructor(
		private readonly context: Context,
		private data: ICredentialDataDecryptedObject,
		/** Address of the gateway, without `/v1`. */
		readonly root: string,
	) {
		this.key = keyIn(data);
		this.redactor = new Redactor(this.key);
	}

	/** Throws when the credential is missing or its base URL is no address. */
	static async open(context: Context): Promise<Account> {
		const data = await context.getCredentials(CREDENTIAL).catch((error) => {
			// n8n does not say what to do about an inaccessible credential, and of a missing one that none is needed.
			throw new InputError(
				asError(error).message.replace(/^Node does not require c/, 'The node has no c'),
				'Choose or create a credential at the top of the node. Nothing was sent.',
			);
		});
		const account = new Account(context, data, rootIn(data));
		const { key, root } = account;
		if (key.length >= SECRET_LENGTH && root.toLowerCase().includes(key.toLowerCase())) {
			throw new InputError(
				'The base URL in the credential contains the API key',
				'The key belongs in the field "API Key" only. The base URL should look like https://host/v1. Nothing was sent.',
			);
		}
		return account;
	}

	/** For operations that need no request. */
	static none(context: Context): Account {
		return new Account(context, {}, '');
	}

	get asQuery(): string {
		return `?key=${encodeURIComponent(this.key)}`;
	}

	/** The credential that n8n signs a request with. It is read again from time to time, to pick up a new key. */
	async signature(): Promise<ICredentialsDecrypted> {
		if (performance.now() - this.readAt > READING_HOLDS_MS) await this.readAgain();
		return { id: '', name: '', type: CREDENTIAL, data: this.data };
	}

	/** Keeps the cached credential if reading fails or the gateway has changed, so that paid jobs are still fetched. */
	private async readAgain(): Promise<void> {
		this.readAt = performance.now();
		try {
			const data = await this.context.getCredentials(CREDENTIAL);
			const key = keyIn(data);
			if (key === this.key || rootIn(data) !== this.root) return;
			this.redactor.learn(key);
			this.key = key;
			this.data = data;
		} catch {
			return;
		}
	}
}

const keyIn = ({ apiKey }: ICredentialDataDecryptedObject): string => String(apiKey ?? '').trim();

const rootIn = ({ baseUrl }: ICredentialDataDecryptedObject): string =>
	gatewayRoot(String(baseUrl ?? ''));

/** A host with a dot and a top-level domain, an IPv4 address, localhost, or anything with a port; never a pasted key. */
const HOST = /^([a-z0-9-]{1,63}\.)+([a-z]{2,}|\d+)(:\d+)?$|^localhost$|^[a-z0-9.-]+:\d+$/i;

/**
 * The address in front of `/v1/…`, from any form of the credential's base URL: `https://host`, `https://host/`,
 * `https://host/v1`, `https://host/v1/`, and all of them behind a path prefix or without `https://`. A login, a query and
 * a fragment are left out, here as in the credential's test. Throws InputError on what is no http(s) address; it does not
 * repeat what was given, as that may be the API key in the wrong field.
 */
export function gatewayRoot(baseUrl: string): string {
	const given = baseUrl.trim();
	const address = HOST.test(given.split(/[/?#]/, 1)[0]) ? `https://${given}` : given;
	const refuse = (why: string) => {
		const advice = 'It should look like https://host/v1. Nothing was sent.';
		throw new InputError(`The base URL in the credential ${why}`, advice);
	};
	if (!URL.canParse(address)) refuse('is not a web address');
	const { protocol, origin, pathname } = new URL(address);
	if (!/^https?:$/.test(protocol)) refuse('must begin with https:// or http://');
	const path = pathname
		.replace(/\/+$/, '')
		.replace(/(\/v1)+$/i, '')
		.replace(/\/+$/, '');
	return `${origin}${path}`;
}
