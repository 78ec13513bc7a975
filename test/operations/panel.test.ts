/* What the editor shows before anything runs: words, order, and what a click costs. */
import {
	type INodeParameters,
	type INodeProperties,
	type INodePropertyCollection,
	type INodePropertyOptions,
	NodeHelpers,
} from 'n8n-workflow';
import { LmChatSpeechGateway } from '../../nodes/LmChatSpeechGateway/LmChatSpeechGateway.node';
import { ownFieldOf, ownFields } from '../../nodes/SpeechGateway/core/ownField';
import { descriptions } from '../../nodes/SpeechGateway/operations/forms';
import { ORDER } from '../../nodes/SpeechGateway/fields/form';
import { estimateOf } from '../../nodes/SpeechGateway/speech/price';
import { SpeechGateway } from '../../nodes/SpeechGateway/SpeechGateway.node';
import { evaluate } from '../support/expressions';

const { description } = new SpeechGateway();
const nodes = [description, new LmChatSpeechGateway().description];

type Shown = INodeProperties | INodePropertyOptions | INodePropertyCollection;

/** A property, and all that is inside it. */
function within(shown: Shown): Shown[] {
	const inside = 'values' in shown ? shown.values : 'options' in shown ? shown.options : [];
	return [shown, ...(inside ?? []).flatMap(within)];
}
const all = nodes.flatMap(({ properties }) => properties.flatMap(within));

/** Title Case as n8n's linter has it. */
const SMALL = /^(a|an|and|as|at|by|for|from|in|is|of|on|or|per|the|to|when|with)$/;
const labels = all.map((shown) => ('displayName' in shown ? shown.displayName : shown.name));

const faults = <T>(all: T[], isFine: (one: T) => unknown): T[] => [
	...new Set(all.filter((one) => !isFine(one))),
];

test('what an operation says beside a row has a field of its own, where Settle and loops look for it', () => {
	const besideRow = descriptions.filter(({ billed, makesFile }) => billed || makesFile);
	expect(besideRow.length).toBeGreaterThan(8);
	const fields = besideRow.map(({ resource }) => ownFieldOf(resource));
	expect([...new Set(fields)].sort()).toEqual(ownFields().sort());
});

test('labels are in Title Case', () => {
	const isTitle = (label: string) =>
		label
			.split(' ')
			.every((word, index) => (index > 0 && SMALL.test(word)) || /^\(?[A-Z0-9]|^fish-/.test(word));
	expect(faults(labels, isTitle)).toEqual([]);
});

const textsOf = (key: 'description' | 'hint', shown = all) =>
	shown
		.flatMap((one) => (key in one ? [String(one[key as keyof Shown] ?? '')] : []))
		.filter(Boolean);
/** Operations also say what they cost, in a sentence of its own. */
const ofOperations = nodes.flatMap(({ properties: of }) =>
	of.filter(({ name }) => name === 'operation').flatMap(within),
);
const descriptionsShown = textsOf(
	'description',
	all.filter((one) => !ofOperations.includes(one)),
);
const hints = textsOf('hint');
/** A text cut where another sentence begins. */
const sentences = (text: string) => text.split(/[.!?] (?=[A-Z0-9"])/);

test('a description is one sentence without a period; a hint is a line', () => {
	expect(descriptionsShown.length).toBeGreaterThan(100);
	expect(faults(descriptionsShown, (text) => /^[A-Z0-9"].*[^.]$/.test(text))).toEqual([]);
	expect(faults(descriptionsShown, (text) => sentences(text).length === 1)).toEqual([]);
	expect(faults(descriptionsShown, (text) => text.length < 180)).toEqual([]);
	expect(faults(hints, (text) => text.length <= 120)).toEqual([]);
	expect(faults(hints, (text) => text.endsWith('.') === sentences(text).length > 1)).toEqual([]);
});

const properties = all.filter((shown): shown is INodeProperties => 'type' in shown);

test('fields of one name are of one type, wherever they are', () => {
	const types = new Map<string, Set<string>>();
	const shown = properties.filter(({ name, type }) => name !== 'values' && type !== 'hidden');
	for (const { name, type } of shown) types.set(name, (types.get(name) ?? new Set()).add(type));
	expect([...types].filter(([, of]) => of.size > 1)).toEqual([]);
});

test('what is picked is found in a list that can be searched, by its ID or by its title', () => {
	const methods = Object.keys(new SpeechGateway().methods.listSearch);
	const locators = properties.filter(({ type }) => type === 'resourceLocator');
	expect(locators.length).toBeGreaterThan(5);
	for (const { default: given, modes = [] } of locators) {
		expect(given).toMatchObject({ mode: 'list' });
		const [list, id, ...titles] = modes;
		expect(list).toMatchObject({ name: 'list', type: 'list', typeOptions: { searchable: true } });
		expect(methods).toContain(list.typeOptions?.searchListMethod);
		expect(id).toMatchObject({ name: 'id', type: 'string' });
		for (const title of titles) expect(title).toMatchObject({ name: 'title', type: 'string' });
	}
});

test('switches say what they decide', () => {
	const flags = all.filter((shown) => 'type' in shown && shown.type === 'boolean');
	for (const flag of flags) expect((flag as INodeProperties).description).toMatch(/^Whether /);
});

const allOptions = nodes.flatMap(({ properties: of }) =>
	of.flatMap(({ name, options }) => (name === 'options' ? (options as INodeProperties[]) : [])),
);
const optionsOf = (resource: string, operation: string) =>
	(
		description.properties.find(
			({ name, displayOptions }) =>
				name === 'options' &&
				displayOptions?.show?.resource?.[0] === resource &&
				displayOptions.show.operation?.[0] === operation,
		)?.options as INodeProperties[]
	).map(({ displayName }) => displayName);

/** The options of an operation that the editor shows, or offers, beside these. */
const shownBeside = (options: INodeProperties[], values: INodeParameters) =>
	options
		.filter(({ type }) => type !== 'hidden')
		.filter((option) => NodeHelpers.displayParameter(values, option, null, description))
		.map(({ name }) => name);

test('a new node offers at most 22 options', () => {
	for (const { operation, options } of descriptions) {
		const offered = shownBeside(options, {});
		expect([operation, offered.length > 22 ? offered : []]).toEqual([operation, []]);
	}
});

test('an option that is offered beside another is kept, and shown once, without it and with it', () => {
	const parents = {
		maxSegmentCharacters: 'longText',
		pauseBetweenSegments: 'longText',
		parentheses: 'textFormat',
		binaryPropertyName: 'fileName',
	};
	const ofDialogue = { ...parents, maxSegmentCharacters: 'pauseBetweenSegments' };
	for (const { resource, operation, options } of descriptions)
		for (const [name, parent] of Object.entries(operation === 'dialogue' ? ofDialogue : parents)) {
			const [option] = options.filter((one) => one.name === name);
			if (!option || !options.some((one) => one.name === parent)) continue;
			expect(shownBeside(options, {})).not.toContain(name);
			const value = option.default as string | number;
			for (const values of [{ [name]: value }, { [name]: value, [parent]: 'any' }]) {
				expect(shownBeside(options, values).filter((one) => one === name)).toEqual([name]);
				const kept = NodeHelpers.getNodeParameters(
					description.properties,
					{ resource, operation, options: values },
					true,
					false,
					null,
					description,
				);
				expect(kept!.options).toEqual(values);
			}
			expect(shownBeside(options, { [parent]: 'any' })).toContain(name);
		}
});

/** The editor gives null for an expression before there is any input. */
test.each(['any', '', null])('an option is offered beside one whose value is %j', (value) => {
	const parents = {
		whenSentBefore: 'sendOnceKey',
		speakAgainAt: 'previousBinaryPropertyName',
		binaryPropertyName: 'fileName',
	};
	const [{ options }] = descriptions;
	for (const [name, parent] of Object.entries(parents)) {
		expect(shownBeside(options, {})).not.toContain(name);
		expect(shownBeside(options, { [parent]: value })).toContain(name);
	}
});

test('options are in the order in which people need them: the usual, money, text, the network', () => {
	const order = [
		'Speed',
		'Voices by Name',
		'File Name',
		'Subtitles',
		'Characters per Caption',
		'Send Once Key',
		'When Sent Before',
		'Spending Limit (Tokens)',
		'Price Factor',
		'Charges',
		'Chapters',
		'Text Format',
		'Concurrency',
		'Max Retries',
		'Timeout',
	];
	for (const { resource, operation } of descriptions) {
		const shown = [...new Set(optionsOf(resource, operation))].filter((name) =>
			order.includes(name),
		);
		expect([operation, shown]).toEqual([operation, order.filter((name) => shown.includes(name))]);
	}
});

test('tables begin with an empty row, which stays when another option is added, and counts as none', () => {
	const [{ options, fields }] = descriptions.filter(({ operation }) => operation === 'dialogue');
	const rowOf = ({ default: rows }: INodeProperties) => (rows as { values: unknown }).values;
	const speakers = fields.find(({ name }) => name === 'speakers')!;
	expect(rowOf(speakers)).toEqual([expect.objectContaining({ name: '' })]);
	for (const name of ['pronunciations', 'tags']) {
		// The editor adds what the entry says that it shows then; n8n drops what no entry keeps.
		const [added] = options.filter(
			(option) =>
				option.name === name &&
				NodeHelpers.displayParameter({}, option, null, description) &&
				option.type !== 'hidden',
		);
		expect(added.typeOptions?.multipleValues).not.toBe(true);
		expect([rowOf(added)].flat()).toEqual([expect.any(Object)]);
		const ofTags = [added.default];
		const ofTable = [{}, added.default, { values: [{ find: 'a' }, { find: 'b' }] }];
		for (const table of name === 'tags' ? ofTags : ofTable) {
			const asAdded = { [name]: table, speed: 1 };
			const kept = NodeHelpers.getNodeParameters(
				description.properties,
				{ resource: 'speech', operation: 'dialogue', options: asAdded } as INodeParameters,
				false,
				false,
				null,
				description,
			);
			expect(Object.keys(kept!.options as object).sort()).toEqual([name, 'speed'].sort());
			if (name === 'pronunciations') expect(kept!.options).toEqual(asAdded);
			expect(
				shownBeside(options, asAdded as INodeParameters).filter((one) => one === name),
			).toEqual([name]);
		}
	}
});

test("a tool's form speaks of no branches, and is otherwise the same", () => {
	const tool = { ...description, name: 'speechGatewayTool' };
	for (const { resource, operation, options } of descriptions) {
		const shown = (of: typeof tool) =>
			description.properties
				.filter((field) => NodeHelpers.displayParameter({ resource, operation }, field, null, of))
				.flatMap((field) => (field.name === 'options' ? [] : within(field)))
				.concat(
					options
						.filter(({ type }) => type !== 'hidden')
						.filter((option) => {
							const set = { sendOnceKey: 'x', previousBinaryPropertyName: 'x', [option.name]: 'x' };
							return NodeHelpers.displayParameter(set, option, null, of);
						})
						.flatMap(within),
				);
		const [ofTool, ofNode] = [shown(tool), shown(description)];
		const named = (all: Shown[]) => all.flatMap((one) => ('type' in one ? one.name : []));
		expect(named(ofTool)).toEqual(named(ofNode));
		const words = [...textsOf('description', ofTool), ...textsOf('hint', ofTool)];
		expect(faults(words, (text) => !/\bbranch/i.test(text))).toEqual([]);
		expect(hintsOf(resource, operation).join()).not.toMatch(/\bbranch/);
	}
});

/** What an option is when it is added: what holds without it, but for two that are added to get a file with them. */
test('an option that is added is what holds without it, wherever it is', () => {
	const expected: Record<string, unknown> = {
		longText: 'auto',
		maxSegmentCharacters: 1000,
		pauseBetweenSegments: 0,
		subtitles: 'srt',
		maxEstimatedTokens: 0,
		modelMultiplier: 1,
		binaryPropertyName: 'data',
		concurrency: 4,
		maxRetries: 4,
		timeout: 180,
		textFormat: 'automatic',
		parentheses: 'readAloud',
		pauseAfterParagraphs: 0,
		timings: false,
		chapters: 'headings',
		previousBinaryPropertyName: '',
		speakAgainAt: '',
		pollInterval: 2,
		maxPollInterval: 15,
		maxWait: 1800,
		whenMaxWaitReached: 'fail',
		waitUntilCertain: true,
		keyInAddress: false,
		reuseExisting: false,
		simplify: true,
		charges: false,
		pauseBetween: 0,
		outputBinaryPropertyName: 'data',
	};
	const options = allOptions.filter(({ name }) => name in expected);
	expect(options.filter(({ name, default: value }) => value !== expected[name])).toEqual([]);
	expect(new Set(options.map(({ name }) => name))).toEqual(new Set(Object.keys(expected)));
});

test('every option has a place in the order', () => {
	expect(faults(allOptions, ({ name }) => ORDER.includes(name))).toEqual([]);
	expect(ORDER).toHaveLength(new Set(ORDER).size);
});

const OF_FILES = ['Output Binary Field', 'File Name', 'Subtitles', 'Timings', 'Tags'];

test.each([
	['speech', 'estimate'],
	['speechJob', 'create'],
	['video', 'create'],
])('%s.%s makes no file, and has no options for one', (resource, operation) => {
	const shown = optionsOf(resource, operation);
	expect(shown.filter((name) => OF_FILES.includes(name))).toEqual([]);
});

/** The hints that the editor shows in the output pane before the node has run. */
function hintsOf(resource: string, operation: string): string[] {
	const holds = (condition: string) => evaluate(condition, { resource, operation });
	return (description.hints ?? [])
		.filter(({ whenToDisplay, location, displayCondition }) => {
			expect([whenToDisplay, location]).toEqual(['beforeExecution', 'outputPane']);
			return holds(displayCondition!) === true;
		})
		.map(({ message }) => message);
}

test('what a click costs is said before the click, exactly when it costs something', () => {
	for (const { resource, operation, billed } of descriptions) {
		const said = hintsOf(resource, operation);
		expect([operation, said]).toEqual([
			operation,
			billed ? [expect.stringMatching(/^Every click on Execute is charged/)] : free(operation),
		]);
	}
});

/** Settle has no field that would say where its items come from. */
const free = (operation: string) =>
	operation === 'settle' ? [expect.stringMatching(/^Connect "Unknown"/)] : [];

test('the hint under a text says what its characters cost, in the numbers of the estimate', () => {
	const shown = properties.filter(({ name }) => ['text', 'script'].includes(name));
	const priced = shown.filter(({ hint }) => hint?.includes('1,000 characters cost'));
	expect(priced.length).toBe(3);
	const { estimatedTokens, estimatedTokensAsJob } = estimateOf({}, 'a'.repeat(1000));
	expect(estimatedTokensAsJob / estimatedTokens).toBeCloseTo(3, 0);
	const ofJobs = descriptions
		.filter(({ resource, billed }) => resource === 'speechJob' && billed)
		.map(({ fields }) => fields.find(({ name }) => name === 'text')?.hint);
	expect(ofJobs).toHaveLength(2);
	for (const hint of ofJobs)
		expect(hint).toContain(
			`1,000 characters of English cost about ${estimatedTokensAsJob.toLocaleString('en')} tokens, three times what Generate takes`,
		);
	const cost = (text: string) => Math.round(estimateOf({}, text).estimatedTokens / 10) * 10;
	for (const { hint } of priced)
		expect(hint).toContain(
			`1,000 characters cost about ${cost('a'.repeat(1000)).toLocaleString('en')} tokens (Chinese: ${cost('好'.repeat(1000)).toLocaleString('en')})`,
		);
});

test('the fields that add or remove a branch say what becomes of its connections', () => {
	const saying = properties.filter(
		({ name }) => name === 'operation' || name === 'whenMaxWaitReached',
	);
	for (const { description: words, hint } of saying)
		expect(`${words} ${hint}`).toMatch(/connections\b.*(removed|removes)/);
});

test('every field takes an expression but those that are one for all items', () => {
	const fixed = properties.filter(({ noDataExpression }) => noDataExpression);
	expect(new Set(fixed.map(({ name }) => name))).toEqual(
		new Set(['resource', 'operation', 'concurrency', 'whenMaxWaitReached']),
	);
});

test('what sends has retries and a time-out; what sends for each item, a concurrency', () => {
	const without = (name: string) =>
		descriptions
			.filter(({ options }) => !options.some((option) => option.name === name))
			.map(({ resource, operation }) => `${resource}.${operation}`)
			.sort();
	const offline = ['audio.join', 'speech.estimate'];
	expect(without('maxRetries')).toEqual(offline);
	expect(without('timeout')).toEqual(offline);
	expect(without('concurrency')).toEqual(
		[...offline, 'account.getPrices', 'account.settle', 'model.getMany', 'voice.getMany'].sort(),
	);
});

test('an operation shows the credential when it sends something, or has lists to choose from; none requires it', () => {
	const [credential] = description.credentials!;
	expect(credential.required).toBe(false);
	for (const { resource, operation, sends, fields } of descriptions) {
		const shown = { resource, operation };
		const asks = NodeHelpers.displayParameter(shown, credential, { typeVersion: 1 }, description);
		const hasLists = fields.some(({ type }) => type === 'resourceLocator');
		expect([shown, asks]).toEqual([shown, sends.length > 0 || hasLists]);
	}
});

test('Estimate has no audio format to choose', () => {
	const [{ fields }] = descriptions.filter(({ operation }) => operation === 'estimate');
	const shown = fields.filter(({ type }) => type !== 'hidden').map(({ name }) => name);
	expect(shown).toEqual(['model', 'text', 'voice']);
});
