import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';
import { asError, GatewayError } from '../core/errors';
import { UnresolvedError } from '../gateway/account';
import { exchange, isFailure, isMissing } from '../requests/exchange';
import { plain } from '../gateway/gatewayWords';
import { idIn } from '../core/json';
import { resources } from './forms';
import { capabilitiesOf, type Capability, DEFAULT_SPEECH_MODEL } from '../gateway/models';
import { titleIn, voiceIdIn } from '../speech/voices';
import { type AskList, modelsBy, voicesBy } from '../gateway/askLists';
import { Transport } from '../gateway/transport';
import { DEFAULT_VOICE } from '../fields/voice';

/** Longest wait for a list: the editor should show an error rather than keep the user waiting. */
const LIST_TIMEOUT_MS = 20_000;

/** The first row of a list of voices. The gateway does not list its own voice. */
const defaultVoice: INodeListSearchItems = {
	name: 'Default',
	value: DEFAULT_VOICE,
	description: 'The standard voice of the gateway',
};

/**
 * Models for another purpose come last, with that purpose; they can be picked, as an entry may be wrong. The chat model has only
 * what may chat, as long as there is any.
 */
export async function searchModels(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	// The chat model, a node of its own, has none.
	const chosen = this.getCurrentNodeParameter('resource');
	const resource = resources.find(({ value }) => value === chosen);
	const wanted = resource?.models ?? 'chat';
	const models = (await modelsBy(await asker(this))) ?? noModels();
	const listed = models.flatMap((model) => {
		const id = pickable(idIn(model, 'id', 'name', 'model'));
		return id === undefined ? [] : [{ id, can: capabilitiesOf(model) }];
	});
	const rank = (can: Capability[]) => (can.includes(wanted) ? 0 : can.length === 0 ? 1 : 2);
	const fitting = listed.filter(({ can }) => rank(can) < 2);
	const results = (!resource && fitting.length > 0 ? fitting : listed)
		.sort((a, b) => rank(a.can) - rank(b.can) || a.id.localeCompare(b.id))
		.map(({ id, can }) => ({
			name: rank(can) === 2 ? `${id} (${can.join(', ')})` : id,
			value: id,
		}));
	return { results: matching(results, filter) };
}

/** "Default", then the voices of the account for a model. */
export async function searchVoicesWithDefault(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const own = await ownVoices(this);
	return { results: [...matching([defaultVoice], filter), ...matching(own, filter)] };
}

/** The voices of the account for a model. */
export async function searchOwnVoices(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const own = await ownVoices(this);
	if (own.length === 0) {
		throw new GatewayError(
			'This account has no cloned voices yet',
			'Clone one with Voice → Clone.',
		);
	}
	return { results: matching(own, filter) };
}

/** The account's voices as rows, newest first. The model is the one that the panel shows now, else the documented one. */
async function ownVoices(context: ILoadOptionsFunctions): Promise<INodeListSearchItems[]> {
	const model = context.getCurrentNodeParameter('model', { extractValue: true });
	const ofModel = typeof model === 'string' && model ? model : DEFAULT_SPEECH_MODEL;
	// A service without a list still has a default voice.
	const voices = (await voicesBy(await asker(context), ofModel)) ?? [];
	// Newest first: a voice that was just cloned is the one to pick.
	const age = (voice: IDataObject) => dateOf(voice.created_at)?.getTime() ?? -Infinity;
	const newestFirst = [...voices].sort((a, b) => (age(b) === age(a) ? 0 : age(b) - age(a)));
	return newestFirst.flatMap((voice) => {
		const id = pickable(voiceIdIn(voice));
		if (id === undefined) return [];
		const title =
			plain(typeof voice.title === 'number' ? String(voice.title) : titleIn(voice)) ?? id;
		const date = dateOf(voice.created_at)?.toISOString().slice(0, 10);
		// n8n keeps the name of what is picked, too.
		const name = title.startsWith('=') ? `"${title}"` : title;
		return { name: `${name}${date ? ` (${date})` : ''}`, value: id, description: id };
	});
}

/** Longer than any ID; keeps n8n's editor usable. */
const MAX_ID_LENGTH = 500;

/** The id, if it can be picked. One that begins with `=` cannot: the next run would evaluate it as an expression. */
const pickable = (id = ''): string | undefined =>
	id && id.length <= MAX_ID_LENGTH && !/^=|^\.{1,2}$|\p{Cs}/u.test(id.trim()) ? id : undefined;

/**
 * Asks for lists of the editor, each with one free request, not retried: the user can open the list again. Throws
 * GatewayError, and InputError for the credential.
 */
async function asker(context: ILoadOptionsFunctions): Promise<AskList> {
	const transport = await Transport.open(context).catch((error) => {
		if (!(error instanceof UnresolvedError)) throw asError(error);
		throw new GatewayError(
			'The API key or the base URL in the credential is an expression that has a value in a running workflow only',
			'So there is no list here: enter an ID instead.',
		);
	});
	return async (endpoint) => {
		const answer = await exchange(transport, endpoint, LIST_TIMEOUT_MS, {});
		if (!isFailure(answer)) return await transport.readList(answer);
		if (isMissing(answer.error)) return undefined;
		throw answer.error;
	};
}

function noModels(): never {
	// The editor shows no more than the message.
	throw new GatewayError(
		'This service has no list of models: choose "By ID" and type one',
		'If other requests fail, too, check the base URL in the credential.',
	);
}

function matching(results: INodeListSearchItems[], filter = ''): INodeListSearchItems[] {
	const wanted = filter.trim().toLowerCase();
	return results.filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(wanted));
}

/** The gateway's timestamps are seconds, milliseconds or ISO dates. */
function dateOf(created: unknown): Date | undefined {
	if (typeof created !== 'number' && typeof created !== 'string') return undefined;
	const date = new Date(typeof created === 'number' && created < 1e11 ? created * 1000 : created);
	return Number.isNaN(date.getTime()) ? undefined : date;
}
