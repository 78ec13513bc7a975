import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import parser from '@typescript-eslint/parser';
import nodesBase from 'eslint-plugin-n8n-nodes-base';

/** The rules that n8n's scanner of community packages holds against packed files, of which no TypeScript is left. */
export default [
	n8nCommunityNodesPlugin.configs.recommended,
	{ rules: { 'no-console': 'error' } },
	{ plugins: { 'n8n-nodes-base': nodesBase } },
	{
		files: ['package.json'],
		languageOptions: { parser },
		rules: { ...nodesBase.configs.community.rules },
	},
].flat();
