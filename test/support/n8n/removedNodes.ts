const BASE = [
	...['aiTransform', 'cron', 'function', 'functionItem', 'htmlExtract', 'iCal', 'interval'],
	...['itemLists', 'moveBinaryData', 'openAi', 'orbit', 'readBinaryFile', 'readBinaryFiles'],
	...['readPDF', 'workflowTrigger', 'writeBinaryFile'],
];
const LANGCHAIN = [
	...['code', 'documentBinaryInputLoader', 'documentGithubLoader', 'documentJsonInputLoader'],
	...['lmOpenAi', 'manualChatTrigger', 'memoryChatRetriever', 'memoryMotorhead', 'memoryZep'],
	...['openAiAssistant', 'toolHttpRequest', 'toolSerpApi', 'vectorStoreInMemoryInsert'],
	...['vectorStoreInMemoryLoad', 'vectorStorePineconeInsert', 'vectorStorePineconeLoad'],
	...['vectorStoreSupabaseInsert', 'vectorStoreSupabaseLoad', 'vectorStoreZep'],
	...['vectorStoreZepInsert', 'vectorStoreZepLoad'],
];

/** The types of nodes that n8n 3.0 no longer has. */
export const REMOVED_NODES: ReadonlySet<string> = new Set([
	...BASE.map((name) => `n8n-nodes-base.${name}`),
	...LANGCHAIN.map((name) => `@n8n/n8n-nodes-langchain.${name}`),
]);
