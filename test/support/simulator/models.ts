import { ApiError } from './errors';
import { type Call, json, type Work } from './exchange';

type ModelKind = 'speech' | 'chat' | 'video';

/** Only `fish-speech` is a name of the real service. */
export const MODELS: Array<{ id: string; kind: ModelKind }> = [
	{ id: 'fish-speech', kind: 'speech' },
	{ id: 'sim-chat', kind: 'chat' },
	{ id: 'sim-chat-mini', kind: 'chat' },
	{ id: 'sim-video', kind: 'video' },
];

const CREATED = 1_700_000_000;

/** GET /v1/models. */
export function listModels({ world: { dialect } }: Call): Work {
	const data = MODELS.map(({ id }) => ({
		id,
		object: 'model',
		created: CREATED,
		...dialect.model(id),
	}));
	return { reply: () => json({ ...dialect.list, object: 'list', data }) };
}

/** The model of a request. Throws 400 when there is none, 404 when this endpoint does not know it. */
export function checkModel(model: unknown, kind: ModelKind): string {
	if (typeof model !== 'string' || model === '') {
		throw new ApiError(400, 'model is required', 'missing_parameter', 'model');
	}
	if (!MODELS.some((known) => known.id === model && known.kind === kind)) {
		throw new ApiError(404, `The model '${model}' does not exist`, 'model_not_found', 'model');
	}
	return model;
}
