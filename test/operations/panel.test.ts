/* What the editor shows before anything runs: words, order, and what a click costs. */
import {
	type INodeProperties,
	type INodePropertyCollection,
	type INodePropertyOptions,
} from 'n8n-workflow';
import { LmChatSpeechGateway } from '../../nodes/LmChatSpeechGateway/LmChatSpeechGateway.node';
import { descriptions } from '../../nodes/SpeechGateway/operations/forms';
import { ORDER } from '../../nodes/SpeechGateway/fields/optionsCollection';
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

test.each([...new Set(labels)])('the label "%s" is in Title Case', (label) => {
	for (const [index, word] of label.split(' ').entries())
		expect(index > 0 && SMALL.test(word) ? 'Small' : word).toMatch(/^\(?[A-Z0-9]|^fish-/);
});

const texts = all.flatMap((shown) => [
	...('description' in shown && shown.description ? [shown.description] : []),
	...('hint' in shown && shown.hint ? [shown.hint] : []),
]);

test.each([...new Set(texts)])('"%s": as n8n writes it', (text) => {
	// One sentence has no period, several have one each.
	const sentences = text.split(/[.!?] (?=[A-Z0-9])/).length;
	expect(text.endsWith('.')).toBe(sentences > 1);
	expect(text).toMatch(/^[A-Z0-9"]/);
	// Words that were thought in another language.
	expect(text).not.toMatch(/by itself|looks? (once|after)|stands? (in|before)|for good|goes on/i);
	expect(text.length).toBeLessThan(260);
});

const properties = all.filter((shown): shown is INodeProperties => 'type' in shown);

test.each([
	['text', 'string'],
	['speed', 'number'],
	['simplify', 'boolean'],
	['longText', 'options'],
	['tools', 'json'],
	['additionalBody', 'json'],
	['messages', 'fixedCollection'],
	['model', 'resourceLocator'],
	['voice', 'resourceLocator'],
])('the field %s is a %s, wherever it is', (name, type) => {
	const types = properties.filter((property) => property.name === name).map((one) => one.type);
	expect([...new Set(types)]).toEqual([type]);
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

const MONEY = ['Send Once Key', 'Spending Limit (Tokens)'];

const optionsOf = (resource: string, operation: string) =>
	(
		description.properties.find(
			({ name, displayOptions }) =>
				name === 'options' &&
				displayOptions?.show?.resource?.[0] === resource &&
				displayOptions.show.operation?.[0] === operation,
		)?.options as INodeProperties[]
	).map(({ displayName }) => displayName);

test.each([
	['speech', 'generate', [...MONEY, 'Speed', 'Text Format']],
	['speech', 'dialogue', [...MONEY, 'Speed', 'Text Format']],
	['speech', 'estimate', [...MONEY.slice(1), 'Speed', 'Text Format']],
	['speechJob', 'createAndWait', [...MONEY, 'Speed', 'Text Format']],
	['speechJob', 'create', [...MONEY, 'Speed', 'Text Format']],
	['voice', 'create', [...MONEY.slice(0, 1), 'Reuse Existing']],
	['chat', 'complete', [...MONEY.slice(0, 1), 'Temperature', 'Max Tokens']],
	['audio', 'join', ['Pause Between Files', 'File Name']],
	['video', 'createAndWait', [...MONEY.slice(0, 1), 'Additional Body Fields']],
])(
	'%s.%s: options about money come first, then text, file and podcast, those of the network last',
	(resource, operation, first) => {
		const shown = optionsOf(resource, operation);
		expect(shown.slice(0, first.length)).toEqual(first);
		if (!['join', 'estimate'].includes(operation))
			expect(shown.slice(-2)).toEqual(['Max Retries', 'Timeout']);
		const places = ['Text Format', 'File Name', 'Chapters', 'Concurrency']
			.map((name) => shown.indexOf(name))
			.filter((place) => place >= 0);
		expect(places).toEqual([...places].sort((a, b) => a - b));
	},
);

/** What an option is when it is added: what holds without it, but for two that are added to get a file with them. */
test.each([
	['longText', 'auto'],
	['maxSegmentCharacters', 1000],
	['pauseBetweenSegments', 0],
	['subtitles', 'srt'],
	['maxEstimatedTokens', 0],
	['modelMultiplier', 1],
	['binaryPropertyName', 'data'],
	['concurrency', 4],
	['maxRetries', 4],
	['timeout', 180],
	['textFormat', 'automatic'],
	['parentheses', 'tags'],
	['pauseAfterParagraphs', 0],
	['timings', false],
	['chapters', 'headings'],
	['keepTags', false],
	['previousBinaryPropertyName', ''],
	['whileWaiting', 'stay'],
	['pollInterval', 2],
	['maxPollInterval', 15],
	['maxWait', 1800],
	['whenMaxWaitReached', 'fail'],
	['reuseExisting', false],
	['simplify', true],
	['pauseBetween', 0],
	['outputBinaryPropertyName', 'data'],
])('the option %s is %s when it is added, wherever it is', (name, value) => {
	const defaults = nodes
		.flatMap((node) => node.properties.filter((property) => property.name === 'options'))
		.flatMap(({ options }) => options as INodeProperties[])
		.filter((property) => property.name === name)
		.map((property) => property.default);
	expect([...new Set(defaults)]).toEqual([value]);
});

test('every option has a place in the order', () => {
	const names = nodes
		.flatMap(({ properties }) => properties.filter(({ name }) => name === 'options'))
		.flatMap(({ options }) => (options as INodeProperties[]).map(({ name }) => name));
	expect([...new Set(names)].filter((name) => !ORDER.includes(name))).toEqual([]);
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

test('the usual operation, format and role are the first of their lists', () => {
	const firstOf = (name: string) => {
		const { options } = all.find(
			(shown) => 'type' in shown && shown.name === name,
		) as INodeProperties;
		return (options as INodePropertyOptions[])[0].value;
	};
	expect(['operation', 'responseFormat', 'longText', 'role'].map(firstOf)).toEqual([
		...['generate', 'mp3', 'auto', 'system'],
	]);
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

test.each(descriptions.map((known) => [`${known.resource}.${known.operation}`, known] as const))(
	'%s says what a click costs, before the click, exactly when it costs something',
	(_, { resource, operation, billed }) => {
		const hints = hintsOf(resource, operation);
		expect(hints).toHaveLength(billed ? 1 : 0);
		if (billed) expect(hints[0]).toMatch(/^Every click on Execute is charged/);
	},
);

test('the fields that add or remove a branch say what becomes of its connections', () => {
	const saying = all.filter(
		(shown) => 'name' in shown && ['operation', 'whenMaxWaitReached'].includes(shown.name),
	) as INodeProperties[];
	for (const { description: words, hint } of saying)
		expect(`${words} ${hint}`).toMatch(/connections .*(removed|removes)/);
});

test('every voice that is picked says how to get more of them', () => {
	const voices = all.filter(
		(shown) => 'type' in shown && shown.name === 'voice' && !shown.required,
	) as INodeProperties[];
	expect(voices.length).toBeGreaterThan(3);
	// Those of the panel without a look at a tooltip; n8n shows no hints for rows of a table.
	for (const { hint, description: words, displayOptions } of voices)
		expect(displayOptions ? hint : words).toContain('Voice → Clone');
});

test('an AI that builds workflows is told what the node is for, and what to do with Unknown', () => {
	expect(description.builderHint?.searchHint).toMatch(/text to speech.*Unknown/is);
	expect(description.builderHint?.relatedNodes?.length).toBeGreaterThan(0);
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
		[...offline, 'account.getPrices', 'model.getMany', 'voice.getMany'].sort(),
	);
});
