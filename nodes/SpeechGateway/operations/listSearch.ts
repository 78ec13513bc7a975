import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';
import { GatewayError } from '../core/errors';
import { explainRefusal, plain } from '../core/explain';
import { endpoints, type FreeEndpoint } from '../gateway/endpoints';
import { readList } from '../gateway/readList';
import { Transport } from '../gateway/transport';
import { DEFAULT_SPEECH_MODEL } from './fields/model';
import { DEFAULT_VOICE } from './fields/voice';

/** A list in the editor is better told than waited for. */
const LIST_TIMEOUT_MS = 20_000;

const defaultVoice: INodeListSearchItems = {
	name: 'Default',
	value: DEFAULT_VOICE,
	description: 'The voice of the gateway, without cloning',
};

export async function searchModels(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const models = await fetchAll(this, endpoints.models);
	const results = models
		.flatMap((model) => idOf(model.id, model.name) ?? [])
		.sort((a, b) => a.localeCompare(b))
		.map((id) => ({ name: id, value: id }));
	return { results: matching(results, filter) };
}

export async function searchVoicesWithDefault(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const own = await ownVoices(this);
	return { results: [...matching([defaultVoice], filter), ...matching(own, filter)] };
}

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

async function ownVoices(context: ILoadOptionsFunctions): Promise<INodeListSearchItems[]> {
	const model = context.getCurrentNodeParameter('model', { extractValue: true });
	const voices = await fetchAll(
		context,
		endpoints.voices(typeof model === 'string' && model ? model : DEFAULT_SPEECH_MODEL),
	);
	return voices.flatMap((voice) => {
		const id = idOf(voice._id, voice.id);
		if (id === undefined) return [];
		const title = plain(textOf(voice.title)) ?? id;
		const date = dateOf(voice.created_at);
		// n8n keeps the name of what is picked, too.
		const name = title.startsWith('=') ? `"${title}"` : title;
		return { name: `${name}${date ? ` (${date})` : ''}`, value: id, description: id };
	});
}

/** Longer than any id; n8n's editor is to stay usable. */
const MAX_ID_LENGTH = 500;

/**
 * The first of the values that can be picked as an id. One that begins with `=` never is: n8n would take it for an
 * expression and evaluate it with the next run.
 */
function idOf(...values: unknown[]): string | undefined {
	const id = values.map(textOf).find((text) => text !== undefined && text.trim() !== '');
	const usable =
		id !== undefined && id.length <= MAX_ID_LENGTH && !/^=|^\.{1,2}$|\p{Cs}/u.test(id.trim());
	return usable ? id : undefined;
}

const textOf = (value: unknown): string | undefined =>
	typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

async function fetchAll(
	context: ILoadOptionsFunctions,
	endpoint: FreeEndpoint,
): Promise<IDataObject[]> {
	const transport = await Transport.open(context);
	const reply = await transport.send(endpoint, LIST_TIMEOUT_MS);
	if (reply.status >= 200 && reply.status < 300) return readList(await transport.readJson(reply));
	const body = await transport.readErrorBody(reply);
	throw explainRefusal(
		{ status: reply.status, body },
		{ url: `${transport.root}${endpoint.path}` },
	);
}

function matching(results: INodeListSearchItems[], filter = ''): INodeListSearchItems[] {
	const wanted = filter.trim().toLowerCase();
	return results.filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(wanted));
}

/** The gateway's timestamps are seconds, milliseconds or ISO dates. */
function dateOf(created: unknown): string | undefined {
	if (typeof created !== 'number' && typeof created !== 'string') return undefined;
	const date = new Date(typeof created === 'number' && created < 1e11 ? created * 1000 : created);
	return Number.isNaN(date.getTime()) ? undefined : date.toISOString().slice(0, 10);
}
