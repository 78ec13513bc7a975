import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

type Lists = typeof import('./operations/listSearch');

/** A list of the editor. What fetches it is loaded when it is opened, not whenever one of n8n's processes starts. */
const listed = (name: keyof Lists) =>
	async function (this: ILoadOptionsFunctions, filter?: string): Promise<INodeListSearchResult> {
		const lists = await import('./operations/listSearch');
		return await lists[name].call(this, filter);
	};

export const searchModels = listed('searchModels');
export const searchOwnVoices = listed('searchOwnVoices');
export const searchVoicesWithDefault = listed('searchVoicesWithDefault');
