/** Where services have their lists of models and voices. */
import type { IDataObject } from 'n8n-workflow';
import { idIn, isRecord } from '../core/json';
import { endpoints, type FreeEndpoint } from './endpoints';
import { capabilitiesOf } from './models';
import { readList } from './readList';

/** Asks for a list; undefined where the service has no such list (404, 405). */
export type AskList = (endpoint: FreeEndpoint) => Promise<IDataObject[] | undefined>;

/**
 * The models of the account. Where the list says what models put out, and none speaks, those that speak are asked for
 * by a query, as routers have it. Undefined where there is no list.
 */
export async function modelsBy(ask: AskList): Promise<IDataObject[] | undefined> {
	const models = await ask(endpoints.models);
	if (!models?.some(saysItsOutput)) return models;
	if (models.some((model) => capabilitiesOf(model).includes('speech'))) return models;
	const speaking = (await ask(endpoints.modelsThatSpeak).catch(() => undefined)) ?? [];
	const listed = new Set(models.map(({ id }) => id));
	return [...models, ...speaking.filter(({ id }) => !listed.has(id))];
}

const saysItsOutput = ({ architecture }: IDataObject): boolean =>
	isRecord(architecture) && Array.isArray(architecture.output_modalities);

/**
 * The voices of the account for a model: from the document's address, else from that of home servers, else those that
 * the list of models names for the model. Undefined where there is none of them.
 */
export async function voicesBy(ask: AskList, model: string): Promise<IDataObject[] | undefined> {
	const listed = (await ask(endpoints.voices(model))) ?? (await ask(endpoints.otherVoices));
	if (listed) return listed;
	const models = (await modelsBy(ask).catch(() => undefined)) ?? [];
	const entry = models.find((one) => idIn(one, 'id', 'name', 'model') === model);
	const supported = entry?.supported_voices;
	return Array.isArray(supported) ? readList(supported) : undefined;
}
