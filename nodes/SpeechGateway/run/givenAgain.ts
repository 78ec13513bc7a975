import type { IBinaryData, IBinaryKeyData, INodeExecutionData } from 'n8n-workflow';
import { EXTENSIONS } from '../audio';
import { asError } from '../core/errors';
import { defined } from '../core/json';
import type { NodeCall } from '../engine/nodeCall';
import { besideAudio, withExtension } from '../files/fileName';
import type { Operation } from '../requests/operation';
import { copyOf } from '../requests/ownFiles';
import type { Earlier } from './sentBefore';

/**
 * Options that add to a result without changing its content: an item that asks for them later gets the first result without
 * them.
 */
const EXTRAS = ['subtitles', 'tags', 'chapters', 'timings'] as const;

/** Those of the options above that an item has switched on. */
export const extrasOf = (parameters: object): string[] =>
	EXTRAS.filter((name) => name in parameters && isOn(parameters[name as never]));

const isOn = (value: unknown): boolean =>
	typeof value === 'object' && value !== null
		? Object.values(value).some(isOn)
		: ![undefined, null, false, '', 'none'].includes(value as string);

/** A result that is given again, with hints on what it lacks, or why there is none. */
type GivenAgain = { item: INodeExecutionData; hints: string[] } | { lost: string };

/** A first result as one of this execution: with files of its own, under the names that the item asks for now. */
export async function resultAsNow(
	nodeCall: NodeCall,
	earlier: Earlier,
	{ makesFile }: Operation,
	parameters: object,
): Promise<GivenAgain> {
	if ('lost' in earlier) return earlier;
	const { item, extras, sentIn } = earlier;
	const { json, binary } = item;
	if (!binary && makesFile) return { lost: 'its row cannot be read' };
	const own = binary && withPresentNames(binary, parameters);
	const [file] = Object.values(own ?? {});
	const said = { ...json, ...defined({ fileName: file?.fileName }), replayed: true, sentIn };
	const missing = extrasOf(parameters).filter((name) => !extras.includes(name));
	const hints = missing.map((name) => `got its first result again, which has no ${name}.`);
	if (!own) return { item: { json: said }, hints };
	try {
		return { item: { json: said, binary: await copies(nodeCall, own) }, hints };
	} catch (error) {
		if (nodeCall.isCancelled) throw asError(error);
		return { lost: 'its files have been deleted' };
	}
}

/** Files under the names that the item asks for now; the names of the others follow from that of the first. */
function withPresentNames(
	files: IBinaryKeyData,
	{ fileName, binaryPropertyName }: { fileName?: string; binaryPropertyName?: string },
): IBinaryKeyData {
	const [[field, file], ...others] = Object.entries(files);
	if (fileName === undefined) return files;
	const extension = extensionOf(file);
	const all = Object.values(EXTENSIONS).find((some) => (some as string[]).includes(extension));
	const name = withExtension(fileName, ...(all ?? ([extension] as const)));
	const beside = others.map(([key, other]) => [
		key,
		{ ...other, fileName: besideAudio(name, extensionOf(other)) },
	]);
	return Object.fromEntries([
		[binaryPropertyName ?? field, { ...file, fileName: name }],
		...beside,
	]);
}

const extensionOf = ({ fileName = '' }: IBinaryData): string =>
	/(?:chapters\.)?\w+$/.exec(fileName)?.[0] ?? '';

/** Files of another execution, stored anew in this one. Those that n8n keeps in memory are in the result itself. */
async function copies(nodeCall: NodeCall, files: IBinaryKeyData): Promise<IBinaryKeyData> {
	const own: IBinaryKeyData = {};
	for (const [field, file] of Object.entries(files))
		own[field] = file.id === undefined ? file : await copyOf(nodeCall, file);
	return own;
}
