/* What is done to each service, through the node in n8n's engine, and what comes of it. */
import { CredentialTestContext } from 'n8n-core';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { SpeechGateway } from '../../nodes/SpeechGateway/SpeechGateway.node';
import {
	searchModels,
	searchVoicesWithDefault,
} from '../../nodes/SpeechGateway/operations/listSearch';
import { searchList } from '../engine/searchList';
import { item, runNode, speechNode } from '../engine/support';
import { PlayedService } from './service';
import type { CaseName, Cell, Service } from './table';

/** What came of it, and what was made. */
export interface Outcome extends Cell {
	files: Array<{ format: string; seconds: number }>;
	/** How many requests for speech were sent. */
	sent: number;
}

const WRONG_KEY = 'the-key-of-somebody-else';
const LONG = sentences(120);
const HELLO = 'Hello, this is a sentence.';
const ROWS = Array.from({ length: 40 }, (_, index) => `Here is row ${index}.`);

/** Plays a service and does one thing to it. */
export async function outcomeOf(name: string, service: Service, one: CaseName): Promise<Outcome> {
	const played = await new PlayedService(name).listen();
	try {
		const asked = new Asking(service, played);
		const outcome = await RUN[one](asked);
		return { files: [], ...outcome, sent: played.bodies.length };
	} finally {
		await played.close();
	}
}

/** What a service is asked for, with what a person has entered. */
class Asking {
	readonly url: string;

	constructor(
		readonly service: Service,
		readonly played: PlayedService,
	) {
		this.url = played.url;
	}

	credential(key: string) {
		const { apiKey, free } = this.service;
		return { apiKey: apiKey === 'none' ? '' : key, baseUrl: this.url, costsNothing: free };
	}

	async test(): Promise<Cell> {
		return await testedWith(this.credential(this.played.apiKey));
	}

	async list(search: typeof searchModels): Promise<Cell> {
		const { url, played } = this;
		const credential = () => this.credential(played.apiKey);
		try {
			const found = await searchList(search, { url, apiKey: played.apiKey, credential });
			return { branch: 'Success', says: found.map(({ value }) => value).join(', ') };
		} catch (error) {
			return { branch: 'Error', says: (error as Error).message };
		}
	}

	async speak(entered: Entered = {}): Promise<Omit<Outcome, 'sent'>> {
		const { text = HELLO, key = this.played.apiKey, options } = entered;
		const { model = this.service.model, voice = this.service.voice, format = 'mp3' } = entered;
		const byId = (value: string) => ({ __rl: true, mode: 'id', value });
		const { outputs, hints } = await runNode({
			parameters: speechNode(
				{ maxRetries: 4, ...options },
				{ model: byId(model), voice: byId(voice), responseFormat: format },
			),
			items: entered.items ?? [item({ text })],
			onError: 'continueErrorOutput',
			url: this.url,
			apiKey: key,
			credential: () => this.credential(key),
		});
		const [success, unknown = [], failed = []] = outputs.map((items) =>
			items.map(({ json }) => json),
		);
		const files = outputs[0].map(({ json, binary }) => ({
			format: String(binary!.data.fileExtension),
			seconds: Number(json.durationSeconds),
		}));
		const [error] = failed.map((json) => json.error as IDataObject);
		const said = error ?? unknown[0] ?? { message: hints.join('\n') };
		const says = [said.message, said.description].filter(Boolean).join('. ');
		const branch = error ? 'Error' : unknown.length > 0 ? 'Unknown' : 'Success';
		if (success.length + unknown.length + failed.length !== (entered.items?.length ?? 1))
			throw new Error('An item is missing');
		return { branch, says, files };
	}
}

/** What the test of a credential says. */
export async function testedWith(data: object): Promise<Cell> {
	const { credentialTest } = new SpeechGateway().methods;
	const context = new CredentialTestContext();
	const { status, message } = await credentialTest.testGateway.call(context, { data } as never);
	return { branch: status === 'OK' ? 'Success' : 'Error', says: message };
}

/** What is entered in place of what is right. */
interface Entered {
	items?: INodeExecutionData[];
	text?: string;
	options?: IDataObject;
	model?: string;
	voice?: string;
	format?: string;
	key?: string;
}

/** A text of so many sentences. */
function sentences(count: number): string {
	return Array.from({ length: count }, (_, index) => `Here is sentence number ${index}.`).join(' ');
}

const inFormat = (format: string) => async (asking: Asking) => await asking.speak({ format });

const RUN: Record<CaseName, (asking: Asking) => Promise<Omit<Outcome, 'sent'> | Cell>> = {
	test: async (asking) => await asking.test(),
	models: async (asking) => await asking.list(searchModels),
	voices: async (asking) => await asking.list(searchVoicesWithDefault),
	mp3: inFormat('mp3'),
	wav: inFormat('wav'),
	opus: inFormat('opus'),
	pcm: inFormat('pcm'),
	long: async (asking) => await asking.speak({ text: LONG }),
	rows: async (asking) =>
		await asking.speak({ items: ROWS.map((text) => item({ text })), options: { concurrency: 8 } }),
	model: async (asking) => await asking.speak({ model: asking.service.wrongModel }),
	noVoice: async (asking) => await asking.speak({ voice: 'default' }),
	voice: async (asking) => await asking.speak({ voice: 'nobody' }),
	tooLong: async (asking) =>
		await asking.speak({ text: LONG, options: { maxSegmentCharacters: 5000 } }),
	before: async (asking) => await asking.speak({ text: 'Explode, dear synthesizer.' }),
	middle: async (asking) =>
		await asking.speak({ text: `${sentences(4)} It may explode. ${sentences(4)}` }),
	key: async (asking) => await asking.speak({ key: WRONG_KEY }),
	stopped: async (asking) => {
		await asking.played.close();
		return await asking.speak();
	},
};

/** What is spoken whole, by case: a text for each file, and the file's extension. */
export const SPOKEN: Partial<Record<CaseName, { texts: string[]; extension: string }>> = {
	mp3: { texts: [HELLO], extension: 'mp3' },
	wav: { texts: [HELLO], extension: 'wav' },
	opus: { texts: [HELLO], extension: 'ogg' },
	pcm: { texts: [HELLO], extension: 'pcm' },
	long: { texts: [LONG], extension: 'mp3' },
	rows: { texts: ROWS, extension: 'mp3' },
};
