/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { REPOSITORY } from '../test/support/n8n/install';
import { type CaseName, CASES, type Service, SERVICES } from '../test/services/table';

/** Where the page is, within the repository. */
export const SERVICES_PAGE = 'docs/services.md';

const services = Object.entries<Service>(SERVICES);

/** The whole page, formatted. */
export async function servicesPage(): Promise<string> {
	const file = path.join(REPOSITORY, SERVICES_PAGE);
	return await format(TEXT, { ...(await resolveConfig(file)), filepath: file });
}

const table = (head: string[], rows: string[][]) =>
	[head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

const link = (name: string, project: string) => `[${name}](https://github.com/${project})`;
const code = (text: string) => `\`${text}\``;

const KEYS: Record<Service['apiKey'], string> = {
	none: 'empty',
	own: 'its own',
	optional: 'its own, or empty',
};

/** The formats in which audio comes, by the cells. */
function formatsOf({ cells, formats }: Service): string {
	if (formats) return formats;
	const names = (['mp3', 'wav', 'opus', 'pcm'] as const).filter((name) => {
		const cell = cells[name];
		return cell && 'branch' in cell && cell.branch === 'Success' && !cell.format;
	});
	return names.map((name) => CASES[name]).join(', ');
}

const whatToEnter = table(
	['Service', 'Base URL', 'API Key', 'Model', 'Voice', 'Formats'],
	services.map(([name, service]) => [
		link(name, service.project),
		code(service.baseUrl),
		KEYS[service.apiKey],
		code(service.model),
		code(service.voice),
		formatsOf(service),
	]),
);

const needs = services.map(([name, service]) => `- **${name}**: ${service.needs}`).join('\n');

/** What the page says of a cell: a tick, what came in place of what was asked for, or the branch. */
function shown(cells: Service['cells'], name: CaseName): string {
	const cell = cells[name];
	if (!cell) return '–';
	if ('noted' in cell) return cell.noted;
	if (cell.shown !== undefined) return cell.shown;
	if (cell.branch !== 'Success') return cell.branch;
	const told = cell.says !== '' && cell.format === undefined && name === 'middle' ? ', a hint' : '';
	return cell.format ? cell.format.toUpperCase() : `✓${told}`;
}

const whatHappens = table(
	['', ...services.map(([name]) => name)],
	(Object.keys(CASES) as CaseName[]).map((one) => [
		CASES[one],
		...services.map(([, { cells }]) => shown(cells, one)),
	]),
);

const versions = services.map(([name, { version }]) => `${name} ${version}`).join(', ');

const READ = table(
	['Service', 'Base URL', 'Model', 'Voice', 'Know'],
	[
		[
			'[OpenAI](https://platform.openai.com/docs/guides/text-to-speech)',
			'`https://api.openai.com/v1`',
			'`gpt-4o-mini-tts`',
			'`alloy`; none is an error',
			'No list of voices: choose _By ID_',
		],
		[
			'[OpenRouter](https://openrouter.ai/docs/guides/overview/multimodal/tts)',
			'`https://openrouter.ai/api/v1`',
			"`openai/gpt-4o-mini-tts-2025-12-15`; Fish Audio's `fish-audio/s2-pro`, free: `fish-audio/s2.1-pro-free`",
			"the provider's",
			'MP3 and PCM',
		],
		[
			'[LocalAI](https://localai.io/features/text-to-audio/)',
			'`http://localai:8080/v1`',
			'as installed',
			"the model's",
			'WAV',
		],
		[
			'[vLLM-Omni](https://github.com/vllm-project/vllm-omni)',
			'`http://vllm:8091/v1`',
			'as served, such as `fishaudio/s2-pro`',
			"the model's",
			'One model a server',
		],
	],
);

const OTHERS = table(
	['Service', 'Why not', 'Use'],
	[
		[
			"Fish Audio's own API (`/v1/tts`)",
			'another request: `text` and `reference_id`, the model in a header',
			'its models at OpenRouter; its open one in vLLM-Omni',
		],
		['Mistral (`/v1/audio/speech`)', '`voice_id`, and audio in JSON', 'its models at OpenRouter'],
		['ElevenLabs (`/v1/text-to-speech/…`)', 'another request', 'LiteLLM in front of it'],
	],
);

const TEXT = `# Services

<!-- Made by \`npm run docs\` from test/services/table.ts. -->

The node works with every service that takes OpenAI's \`POST …/audio/speech\`. All else (lists, jobs, prices, logs) may be missing.

## A server of your own

In the credential, enter base URL and key, and switch on **Requests Cost Nothing** (not for litellm and new-api, whose providers charge): then what
fails is tried again, and nothing is said of charges. In the node, choose model and voice from the list, or _By ID_.

\`npm run check:gateway\` tells what to enter, [in a clone of this repository](../CONTRIBUTING.md).

${whatToEnter}

Services that list their models to anybody pass the credential's test with any key.

**What each needs:**

${needs}

### In Docker

In n8n's container, \`localhost\` is that container. Put both into one network and use the name of the other (\`http://kokoro:8880\`), or
\`http://host.docker.internal:8880\` for a port of the host (on Linux, start n8n with \`--add-host=host.docker.internal:host-gateway\`).

## What happens

Run: ${versions}. Their own HTTP code ran, with a stub in place of what speaks; [its answers](../test/services/answers.jsonl) are played in the tests.
✓: Success. –: not known.

${whatHappens}

## Read, not run

${READ}

## What does not fit

${OTHERS}

## Their own parameters

_Additional Body Fields_ sends them along:

| Service | Additional Body Fields |
| --- | --- |
| kokoro-fastapi: language of the voice | \`{ "lang_code": "e" }\` |
| OpenAI: how it is said | \`{ "instructions": "Calm, like a nurse" }\` |
| chatterbox-tts-api: how lively, up to 2 | \`{ "exaggeration": 0.8 }\` |
`;
