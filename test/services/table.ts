/* What a person enters for each service that was run, and what comes of it. docs/services.md is made of this. */

/** What is done to each service, by the words of the page. */
export const CASES = {
	test: 'Test of the credential',
	models: 'List of models',
	voices: 'List of voices',
	mp3: 'MP3',
	wav: 'WAV',
	opus: 'Opus',
	pcm: 'PCM',
	long: 'Long text, joined',
	rows: '40 rows, eight at once',
	model: 'Wrong model',
	noVoice: 'No voice',
	voice: 'Wrong voice',
	tooLong: 'Too long a text',
	before: 'Fails before the audio',
	middle: 'Fails within the audio',
	key: 'Wrong key',
	stopped: 'Is not running',
} as const;

/** The name of a case. */
export type CaseName = keyof typeof CASES;

/** What comes of a case. */
export interface Cell {
	branch: 'Success' | 'Unknown' | 'Error';
	/** The first words of an error, of what Unknown says or of a hint; what is listed. Empty: nothing is said of a success. */
	says: string;
	/** In place of the branch, on the page. */
	shown?: string;
	/** The format of the file, where it is not the one that was asked for. */
	format?: string;
}

/** A service as it was run: its own HTTP code, with a stub in place of what speaks. */
export interface Service {
	/** Commit or version. */
	version: string;
	/** Its project, as `owner/name` on GitHub. */
	project: string;
	/** As a person enters it where n8n and the service are in one Docker network. */
	baseUrl: string;
	/** Whether it has one. */
	apiKey: 'none' | 'own' | 'optional';
	/** Whether it is a server of one's own: Requests Cost Nothing. */
	free: boolean;
	model: string;
	voice: string;
	/** One that it refuses, or does not know. */
	wrongModel: string;
	/** In which audio comes; absent: by the cells. */
	formats?: string;
	/** What it needs to be safe, and what else one must know. */
	needs: string;
	/** A case without a cell is not known; `noted`: seen when it was run, and not played here. */
	cells: Partial<Record<CaseName, Cell | { noted: string }>>;
}

const works = (more: Partial<Cell> = {}): Cell => ({ branch: 'Success', says: '', ...more });
const lists = (...names: string[]): Cell => ({ branch: 'Success', says: names.join(', ') });
const fails = (says: string): Cell => ({ branch: 'Error', says });

const unknown = (says: string): Cell => ({ branch: 'Unknown', says });
/** Whatever is asked for. */
const wavFor = (asked: string, shown?: string): Cell => ({
	...works({ format: 'wav', says: `You asked for ${asked}, the service sent WAV` }),
	shown,
});
const WAV_COMES = {
	mp3: wavFor('MP3'),
	opus: wavFor('Opus'),
	pcm: wavFor('PCM'),
	long: wavFor('MP3', '✓'),
	model: wavFor('MP3', 'ignored'),
	noVoice: wavFor('MP3', '✓'),
	voice: wavFor('MP3', 'its own voice'),
};

const TESTED = works({ says: 'Connection successful!' });
const STOPPED = fails('The gateway cannot be reached: nothing is listening at this address');
const IGNORED = works({ shown: 'ignored' });
const NOT_OWN = fails("A server error that is not the gateway's own answer (500)");
const NOTHING_CAME = fails(
	'The gateway reported success, but the result is damaged: check the voice and the speed',
);
const BROKE_BEHIND = unknown(
	'It is not known whether the request was carried out: A connection to the gateway or behind it failed (500)',
);
const NO_VOICES: Cell = { ...lists('default'), shown: 'none' };
const FORMATS = { mp3: works(), wav: works(), opus: works(), pcm: works() };
const MANY = { long: works(), rows: works() };

/** By name. */
export const SERVICES = {
	'kokoro-fastapi': {
		version: '26eec06 (0.8)',
		project: 'remsky/Kokoro-FastAPI',
		baseUrl: 'http://kokoro:8880',
		apiKey: 'none',
		free: true,
		model: 'kokoro',
		voice: 'af_heart',
		wrongModel: 'fish-speech',
		needs:
			'_Max Segment Characters_ 400: when a sentence fails, the file comes without it, and only a short segment shows that.',
		cells: {
			test: TESTED,
			...FORMATS,
			...MANY,
			stopped: STOPPED,
			models: lists('gpt-4o-mini-tts', 'tts-1', 'tts-1-hd', 'kokoro'),
			voices: lists('default', 'af_alloy', 'af_aoede'),
			model: fails('The gateway has no model "fish-speech" that can speak (400)'),
			noVoice: works(),
			voice: fails(
				'The gateway refused the request (400). Check the field "Voice" ("nobody"): the gateway names af_bella',
			),
			before: fails('The gateway reported success, but the result is damaged'),
			middle: works({ shown: 'not noticed' }),
		},
	},
	'openai-edge-tts': {
		version: 'edaed2a',
		project: 'travisvn/openai-edge-tts',
		baseUrl: 'http://edge-tts:5050',
		apiKey: 'own',
		free: true,
		model: 'tts-1',
		voice: 'alloy',
		wrongModel: 'fish-speech',
		needs:
			"No PCM. A `<` in a text eats the rest of it. It speaks with Microsoft's online voices, so it needs the internet.",
		cells: {
			test: TESTED,
			mp3: works(),
			wav: works(),
			opus: works(),
			...MANY,
			stopped: STOPPED,
			models: lists('gpt-4o-mini-tts', 'tts-1', 'tts-1-hd'),
			voices: lists('default', 'alloy', 'ash', 'ballad'),
			model: IGNORED,
			noVoice: works(),
			key: fails('The gateway does not accept the API key (401)'),
			pcm: NOT_OWN,
			voice: NOT_OWN,
			before: NOT_OWN,
			middle: NOT_OWN,
		},
	},
	'openedai-speech': {
		version: '31f0335',
		project: 'matatonic/openedai-speech',
		baseUrl: 'http://openedai-speech:8000',
		apiKey: 'none',
		free: true,
		model: 'tts-1',
		voice: 'alloy',
		wrongModel: 'nothing',
		needs:
			'It has no list of voices: choose _By ID_. What fails within a text ends the file early. PCM comes at 22,050 Hz, as `sampleRate` of the item says.',
		cells: {
			test: TESTED,
			mp3: works(),
			wav: works(),
			opus: works(),
			...MANY,
			stopped: STOPPED,
			models: lists('tts-1', 'tts-1-hd'),
			voices: NO_VOICES,
			model: fails('The gateway has no model "nothing" that can speak (400)'),
			pcm: works(),
			voice: fails('The gateway refused the request (400). Check the field "Voice" ("nobody")'),
			before: fails('The gateway reported success, but the result is damaged'),
			middle: works({ says: 'Please listen to item 1: The speech is ' }),
			noVoice: works(),
		},
	},
	'chatterbox-tts-api': {
		version: 'a5f4661',
		project: 'travisvn/chatterbox-tts-api',
		baseUrl: 'http://chatterbox:4123',
		apiKey: 'none',
		free: true,
		model: 'chatterbox-tts-1',
		voice: 'Anna',
		formats: 'WAV only',
		wrongModel: 'fish-speech',
		needs:
			'WAV comes, whatever you ask for. A voice that it does not have is spoken by its own. At most 3,000 characters a request.',
		cells: {
			test: TESTED,
			wav: works(),
			stopped: STOPPED,
			models: lists('chatterbox-tts-1'),
			rows: wavFor('MP3', '✓'),
			...WAV_COMES,
			tooLong: fails(
				'The gateway does not support the parameter "input" as given (422). Lower the option "Max Segment Characters" to 3000',
			),
			voices: lists('default', 'Anna'),
			before: fails('The gateway had an error (500)'),
			middle: fails('The gateway had an error (500)'),
		},
	},
	'orpheus-fastapi': {
		version: '7bd4cfc',
		project: 'Lex-au/Orpheus-FastAPI',
		baseUrl: 'http://orpheus:5005',
		apiKey: 'none',
		free: true,
		model: 'orpheus',
		voice: 'tara',
		formats: 'WAV only',
		wrongModel: 'fish-speech',
		needs:
			"_Concurrency_ 1, and one execution at a time: two texts within a second get each other's audio. WAV comes, whatever you ask for.",
		cells: {
			test: fails('This service has no list of models, so the address cannot be tested'),
			models: { ...fails('This service has no list of models'), shown: 'none' },
			...WAV_COMES,
			before: fails('The gateway reported success, but the result is damaged'),
			middle: {
				...wavFor('MP3', '✓, a hint'),
				says: 'You asked for MP3, the service sent WAV. The file is named as what it is.\nPlease listen to item 1: ',
			},
			voices: lists('default', 'tara', 'leah', 'jess'),
			wav: works(),
			rows: { noted: '**mixed up**' },
			stopped: STOPPED,
		},
	},
	speaches: {
		version: '870e1e1',
		project: 'speaches-ai/speaches',
		baseUrl: 'http://speaches:8000',
		apiKey: 'optional',
		free: true,
		model: 'speaches-ai/Kokoro-82M-v1.0-ONNX',
		voice: 'af_heart',
		wrongModel: 'fish-speech',
		needs:
			'A voice of that model: of any other, nothing comes. Its list has only models that were downloaded.',
		cells: {
			test: TESTED,
			...FORMATS,
			...MANY,
			stopped: STOPPED,
			models: lists('speaches-ai/Kokoro-82M-v1.0-ONNX', 'speaches-ai/piper-en_US-amy-low'),
			voices: lists('default', 'amy', 'af_heart'),
			noVoice: fails('This gateway has no default voice (422)'),
			model: fails('The gateway has no model "fish-speech" that can speak (404)'),
			voice: NOTHING_CAME,
			before: NOTHING_CAME,
			middle: fails('The gateway reported success, but the result is damaged'),
			key: fails('The gateway does not accept the API key (403)'),
		},
	},
	litellm: {
		version: '1.108.7',
		project: 'BerriAI/litellm',
		baseUrl: 'http://litellm:4000',
		apiKey: 'own',
		free: false,
		model: 'fish-speech',
		voice: 'alloy',
		formats: "its provider's",
		wrongModel: 'nope',
		needs:
			'`num_retries: 0` in its settings: else it sends each request up to three times, and all may be charged. Models are those of its `model_list`.',
		cells: {
			test: TESTED,
			...MANY,
			mp3: works(),
			stopped: STOPPED,
			models: lists('fish-speech', 'gpt-4o'),
			voices: NO_VOICES,
			model: fails('The gateway has no model "nope" that can speak (400)'),
			noVoice: fails('This gateway has no default voice (400)'),
			voice: fails(
				'The gateway refused the request (400). This request was not charged. Check the field "Voice"',
			),
			before: BROKE_BEHIND,
			middle: BROKE_BEHIND,
			key: fails('The gateway does not accept the API key (400)'),
		},
	},
	'new-api': {
		version: 'c8c492acb (August 2026)',
		project: 'QuantumNous/new-api',
		baseUrl: 'http://new-api:3000',
		apiKey: 'own',
		free: false,
		model: 'fish-speech',
		voice: 'alloy',
		wrongModel: 'no-such-model',
		needs:
			'Models and voices are those of its channels. Before you restart it, let the workflows end: what it has set aside is lost.',
		cells: {
			test: TESTED,
			...FORMATS,
			...MANY,
			stopped: STOPPED,
			models: lists('fish-speech', 'fixed-tts', 'tts-1'),
			voices: NO_VOICES,
			model: fails('The gateway has no provider for the model "no-such-model" (503)'),
			voice: fails(
				'The gateway refused the request (400). This request was not charged. Check the field "Voice"',
			),
			key: fails('The gateway does not accept the API key (401)'),
			before: fails('The gateway had an error (500)'),
			middle: unknown('The gateway reported success, but the result is damaged: the file is empty'),
		},
	},
} satisfies Record<string, Service>;

/** The name of a service. */
export type ServiceName = keyof typeof SERVICES;
