import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	IExecuteFunctions,
} from 'n8n-workflow';
import { accountName } from '../core/accountName';
import { cleanKey } from '../core/apiKey';
import { asError, InputError } from '../core/errors';
import { variesByItem } from '../engine/credential';
import type { NodeContext } from '../engine/nodeCall';
import { baseOf, rootOf } from './baseUrl';
import { LONG_KEY, Redactor } from './redact';

/** The name of the credential's type in n8n. */
export const CREDENTIAL = 'speechGatewayApi';

/**
 * How long the credential is cached, ms. Each read makes n8n query its database and decrypt, which takes more CPU than the
 * rest of a short request. A key that is replaced during a long wait is still picked up soon.
 */
const READING_HOLDS_MS = 5_000;

type Context = Pick<IExecuteFunctions, 'getCredentials'>;

/** What the credential says for one item. */
interface Credential {
	key: string;
	/** Address in front of `/audio/speech` and the like. */
	base: string;
	/** The base without a version at its end. */
	root: string;
	/** Whether the service is one's own, and charges for nothing. */
	costsNothing: boolean;
	data: ICredentialDataDecryptedObject;
}

const NO_CREDENTIAL: Credential = { key: '', base: '', root: '', costsNothing: false, data: {} };

/** What people enter where a server of their own wants any key: `kokoro`, `not-needed`. */
const ANY_WORD = /^[a-z-]{1,11}$/;

/** Such a word is no secret, and answers may well say it. */
function learnKey(redactor: Redactor, { key, costsNothing }: Credential): void {
	if (!costsNothing || !ANY_WORD.test(key)) redactor.learn(key);
}

/** The accounts that the items of a run pay with: n8n resolves expressions in the credential by item. */
export class Accounts {
	private readonly redactor = new Redactor();
	private readonly accounts = new Map<string, Account>();
	private first?: Promise<Account>;
	private varies?: Promise<boolean>;

	constructor(
		private readonly context: Context & Pick<NodeContext, 'getNode' | 'getMode' | 'additionalData'>,
	) {}

	/** Whether the credential says the same for all items. It is looked at once: n8n takes a millisecond to read it. */
	async isSame(): Promise<boolean> {
		return !(await (this.varies ??= variesByItem(this.context, CREDENTIAL)));
	}

	/** Throws InputError when the credential is missing, or says no key or no address for the item. */
	async of(index: number): Promise<Account> {
		if (index > 0 && !(await this.isSame())) return await this.read(index);
		return await (this.first ??= this.read(0));
	}

	/** Items with the same key and address share one account, and with it what the gateway limits or refuses. */
	private async read(index: number): Promise<Account> {
		const account = await Account.open(this.context, index, this.redactor);
		const payer = `${account.name} ${account.base} ${account.costsNothing}`;
		const first = this.accounts.get(payer) ?? account;
		this.accounts.set(payer, first);
		return first;
	}
}

/** Who pays: an API key at a gateway. */
export class Account {
	private readAt = performance.now();

	private constructor(
		private readonly context: Context,
		private readonly index: number,
		private credential: Credential,
		readonly redactor: Redactor,
	) {
		learnKey(redactor, credential);
	}

	/** Throws InputError when the credential is missing, or says no key or no address for the item. */
	static async open(context: Context, index = 0, redactor = new Redactor()): Promise<Account> {
		const credential = await readCredential(context, index);
		const { key, base } = credential;
		if (key.length >= LONG_KEY && base.toLowerCase().includes(key.toLowerCase()))
			throw new InputError(
				'The base URL in the credential contains the API key',
				'The key belongs in the field "API Key" only. The base URL should look like https://host/v1. Nothing was sent.',
			);
		return new Account(context, index, credential, redactor);
	}

	/** For operations that need no request. */
	static none(context: Context): Account {
		return new Account(context, 0, NO_CREDENTIAL, new Redactor());
	}

	/** Address in front of `/audio/speech` and the like. */
	get base(): string {
		return this.credential.base;
	}

	/** The base without a version at its end: the price list and the usage log are there. */
	get root(): string {
		return this.credential.root;
	}

	/** Whether the service is one's own, and charges for nothing. */
	get costsNothing(): boolean {
		return this.credential.costsNothing;
	}

	/** See `accountName`. */
	get name(): string {
		return accountName(this.credential.key, this.root);
	}

	/** Names the gateway, whatever the key. */
	get gateway(): string {
		return accountName('', this.root);
	}

	get asQuery(): string {
		return `?key=${encodeURIComponent(this.credential.key)}`;
	}

	/** The credential that n8n signs a request with. It is read again from time to time, to pick up a new key. */
	async signature(): Promise<ICredentialsDecrypted> {
		if (performance.now() - this.readAt > READING_HOLDS_MS) await this.readAgain();
		return { id: '', name: '', type: CREDENTIAL, data: this.credential.data };
	}

	/** Keeps the cached credential if reading fails or the gateway has changed, so that paid jobs are still fetched. */
	private async readAgain(): Promise<void> {
		this.readAt = performance.now();
		try {
			const now = await readCredential(this.context, this.index);
			if (now.key === this.credential.key || now.base !== this.base) return;
			learnKey(this.redactor, now);
			this.credential = now;
		} catch {
			return;
		}
	}
}

/** n8n cannot say what an expression in the credential is for an item or, in the editor, for any. */
export class UnresolvedError extends InputError {
	constructor(what: string) {
		super(
			what,
			'Look at what the expression in the credential gives for this item. Nothing was sent.',
		);
	}
}

/** Throws UnresolvedError for an expression without a value, and InputError for a credential that is missing or blank. */
async function readCredential(context: Context, index: number): Promise<Credential> {
	const data = await context.getCredentials(CREDENTIAL, index).catch((error) => {
		const { name, message } = asError(error);
		if (name === 'ExpressionError')
			throw new UnresolvedError(`The credential cannot be read: ${message}`);
		// n8n does not say what to do about an inaccessible credential, and of a missing one that none is needed.
		throw new InputError(
			message.replace(/^Node does not require c/, 'The node has no c'),
			'Choose or create a credential at the top of the node. Nothing was sent.',
		);
	});
	const { apiKey, baseUrl } = data;
	const costsNothing = data.costsNothing === true;
	const key = readKey(apiKey, costsNothing);
	const base = baseOf(resolved('base URL', baseUrl));
	return { data, key, base, root: rootOf(base), costsNothing };
}

/** The API key, which only a server of one's own may lack. Throws as `resolved` does. */
export function readKey(apiKey: unknown, costsNothing: boolean): string {
	const key = cleanKey(apiKey);
	if (costsNothing || key !== '') return key;
	if (typeof apiKey !== 'string') return resolved('API key', apiKey);
	throw new InputError(
		'The API key in the credential has no value',
		'Fill it in, or look at what its expression gives for this item. A server of your own that needs no key: switch on "Requests Cost Nothing". Nothing was sent.',
	);
}

/**
 * A field of the credential, trimmed. Throws InputError if it is empty, as a cell of a table may be: before anything is
 * sent.
 */
function resolved(name: string, value: unknown): string {
	const noValue = `The ${name} in the credential has no value`;
	if (typeof value !== 'string' && typeof value !== 'number') throw new UnresolvedError(noValue);
	const text = String(value).trim();
	if (text !== '') return text;
	const advice =
		'Fill it in, or look at what its expression gives for this item. Nothing was sent.';
	throw new InputError(noValue, advice);
}
