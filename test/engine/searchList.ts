import type { IDataObject, INodeListSearchResult, INodeType } from 'n8n-workflow';
import { SpeechGateway } from '../../nodes/SpeechGateway/SpeechGateway.node';
import type { searchModels } from '../../nodes/SpeechGateway/operations/listSearch';
import { type EngineRun, runNode } from './support';

/** What a dropdown of the editor shows, asked for in a run of the node: its context has all that is needed. */
export async function searchList(
	method: typeof searchModels,
	{
		resource = 'speech',
		...service
	}: Pick<EngineRun, 'url' | 'apiKey' | 'credential'> & { resource?: string },
): Promise<INodeListSearchResult['results']> {
	const asking = {
		description: { ...new SpeechGateway().description, properties: [] },
		async execute() {
			const parameters: IDataObject = { resource, model: 'fish-speech' };
			const getCurrentNodeParameter = (name: string) => parameters[name];
			const context = Object.assign(this, { getCurrentNodeParameter });
			const { results } = await method.call(context as never);
			return [[{ json: { results } as unknown as IDataObject }]];
		},
	} as unknown as INodeType;
	const { outputs, error } = await runNode({ parameters: {}, nodeType: asking, ...service });
	if (error) throw new Error(error.message);
	return outputs[0][0].json.results as unknown as INodeListSearchResult['results'];
}
