import { ApiError } from './errors';
import { type Call, json, type Work } from './exchange';
import type { Capability } from './world';

/** Only `fish-speech` is a name of the real service. */
export const MODELS: Array<{ id: string; capability: Capability }> = [
	{ id: 'fish-speech', capability: 'speech' },
	{ id: 'sim-chat', capability: 'chat' },
	{ id: 'sim-chat-mini', capability: 'chat' },
	{ id: 'sim-video', capability: 'video' },
];

const CREATED = 1_700_000_000;

/** GET /v1/models: those that the account may use. */
export function listModels({ account, world: { dialect } }: Call): Work {
	const visible = MODELS.filter(({ capability }) => account.capabilities.includes(capability));
	const data = visible.map(({ id }) => ({
		id,
		object: 'model',
		created: CREATED,
		...dialect.model(id),
	}));
	return { reply: () => json({ ...dialect.list, object: 'list', data }) };
}

/** The model of a request. Throws 400 when there is none, 404 when this endpoint does not know it. */
export function checkModel(model: unknown, capability: Capability): string {
	if (typeof model !== 'string' || model === '') {
		throw new ApiError(400, 'model is required', 'missing_parameter', 'model');
	}
	if (!MODELS.some((known) => known.id === model && known.capability === capability)) {
		throw new ApiError(404, `The model '${model}' does not exist`, 'model_not_found', 'model');
	}
	return model;
}
