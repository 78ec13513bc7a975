import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { NodeCall } from '../../nodes/SpeechGateway/engine/nodeCall';
import {
	type Field,
	group,
	mapped,
	optional,
	unsetOf,
} from '../../nodes/SpeechGateway/fields/field';
import {
	choiceField,
	choiceOption,
	flagOption,
	idField,
	jsonArray,
	jsonObjectOption,
	jsonOption,
	locatorProperty,
	numberOption,
	secondsOption,
	textField,
	textOption,
} from '../../nodes/SpeechGateway/fields/kinds';
import { modelField } from '../../nodes/SpeechGateway/fields/model';
import { limitField } from '../../nodes/SpeechGateway/fields/shared';
import { tagsOption } from '../../nodes/SpeechGateway/fields/podcast';
import { Parameters } from '../../nodes/SpeechGateway/fields/parameters';

/** n8n's side: parameters as it hands them over, expressions resolved. */
const given = (parameters: IDataObject) =>
	new Parameters(
		new NodeCall({
			getNodeParameter: (name: string, _: number, fallback: unknown) =>
				name in parameters ? parameters[name] : fallback,
		} as unknown as IExecuteFunctions),
		0,
	);
const read = <T>(field: Field<T>, value?: unknown): T => {
	const [{ name }] = [...field.panel, ...field.options];
	const set = (value === undefined ? {} : { [name]: value }) as IDataObject;
	return field.read(given(field.panel.length > 0 ? set : { options: set }));
};

const words = { displayName: 'Pause', name: 'pause' };
const choices = { b: { name: 'Zebra' }, a: { name: 'Ant', description: 'Small' } };

test('a number: limits hold in the editor and when it is read', () => {
	const field = numberOption({ ...words, min: 1, max: 9, integer: true, default: 4 });
	expect(field.options).toEqual([
		{ ...words, type: 'number', default: 4, typeOptions: { minValue: 1, maxValue: 9 } },
	]);
	expect(read(field)).toBe(4);
	expect(read(field, '')).toBe(4);
	expect(read(field, '7')).toBe(7);
	for (const bad of [0, 10, 1.5, 'x', ' ', true, {}, [], [7]])
		expect(() => read(field, bad)).toThrow(
			`"Pause" must be a whole number from 1 to 9, but is ${JSON.stringify(bad)}`,
		);
	const money = numberOption({ ...words, decimals: 2, default: 1 });
	expect(money.options[0].typeOptions).toEqual({ numberPrecision: 2 });
	expect(() => read(numberOption({ ...words, min: 1, default: 4 }), 0)).toThrow('of at least 1');
	expect(() => read(numberOption({ ...words, max: 1, default: 0 }), 2)).toThrow('of at most 1');
});

test('a limit on spending that is blank or a list is an error: 0 would lift it', () => {
	const field = numberOption({ ...words, min: 0, default: 0 });
	for (const bad of [' ', [], ['']])
		expect(() => read(field, bad)).toThrow('"Pause" must be a number of at least 0');
});

test('what holds without an option: the default, or none', () => {
	const spec = { ...words, default: 4 };
	expect(read(numberOption(spec))).toBe(4);
	expect(read(optional(numberOption(spec)))).toBeUndefined();
	expect(read(optional(numberOption(spec)), 5)).toBe(5);
	expect(unsetOf({ a: numberOption(spec), b: secondsOption(spec) })).toEqual({ a: 4, b: 4000 });
});

test('a limit that is empty is an error, not its default', () => {
	expect(limitField.read(given({ returnAll: false }))).toBe(50);
	for (const returnAll of [true, 'true'])
		expect(limitField.read(given({ returnAll, limit: 0 }))).toBe(Infinity);
	for (const bad of ['', 0])
		expect(() => limitField.read(given({ limit: bad }))).toThrow(
			`"Limit" must be a whole number of at least 1, but is ${JSON.stringify(bad)}`,
		);
});

test('seconds are shown, milliseconds read', () => {
	const field = secondsOption({ ...words, default: 2 });
	expect(field.options[0]).toMatchObject({ default: 2, hint: 'Seconds' });
	expect(read(field)).toBe(2000);
	expect(read(field, 0.5)).toBe(500);
});

test('choices: the editor shows them, and an error lists them, as declared', () => {
	const option = choiceOption({ ...words, default: 'b', choices });
	expect(read(choiceOption({ ...words, default: 'b', unset: 'a', choices }))).toBe('a');
	expect(option.options[0].options).toEqual([
		{ value: 'b', name: 'Zebra' },
		{ value: 'a', name: 'Ant', description: 'Small' },
	]);
	expect(read(option)).toBe('b');
	expect(read(option, 'a')).toBe('a');
	// As an empty cell of a table has it.
	for (const empty of [null, '']) expect(read(option, empty)).toBe('b');
	for (const field of [option, choiceField({ ...words, default: 'b', choices })])
		expect(() => read(field, 'c')).toThrow('"Pause" must be one of b, a, but is "c"');
});

test('texts, flags and ids', () => {
	expect(read(textOption({ ...words, default: 'data' }), '')).toBe('data');
	expect(read(textOption({ ...words, default: 'data' }), 7)).toBe('7');
	expect(read(flagOption({ ...words, default: true }))).toBe(true);
	expect(read(flagOption({ ...words, default: true }), 'false')).toBe(false);
	for (const on of [true, 'true', 'TRUE', ' True ', 1, '1'])
		expect(read(flagOption({ ...words, default: false }), on)).toBe(true);
	for (const off of [false, 'FALSE', 0, '0'])
		expect(read(flagOption({ ...words, default: true }), off)).toBe(false);
	for (const nothing of [null, ''])
		expect(read(flagOption({ ...words, default: true }), nothing)).toBe(true);
	for (const bad of ['yes', 2, [], {}])
		expect(() => read(flagOption({ ...words, default: false }), bad)).toThrow(
			`"Pause" must be true or false, but is ${JSON.stringify(bad)}`,
		);
	for (const bad of [{ a: 1 }, [{}]])
		expect(() => read(textOption({ ...words, default: 'data' }), bad)).toThrow(
			`"Pause" must be a text, but is ${JSON.stringify(bad)}`,
		);
	expect(textField(words).panel[0]).toMatchObject({ required: true, default: '', type: 'string' });
	expect(read(textField(words), 7)).toBe('7');
	expect(read(textField(words), 7n)).toBe('7');
	expect(() => read(textField(words), ' ')).toThrow('"Pause" is required, but is empty');
	expect(() => read(textField(words), { a: 1 })).toThrow('"Pause" must be a text, but is {"a":1}');
	expect(read(idField('video', words), ' a/b ')).toBe('a/b');
	for (const bad of ['.', ' .. '])
		expect(() => read(idField('video', words), bad)).toThrow('is not an ID');
});

test('JSON: as text or as a value; its default is what holds when it is empty', () => {
	const object = jsonObjectOption({ ...words, example: '{"Anna": "voice ID"}' });
	for (const empty of [undefined, '', null, 'null']) expect(read(object, empty)).toEqual({});
	expect(read(object, '{"seed":7}')).toEqual({ seed: 7 });
	expect(read(object, { seed: 7 })).toEqual({ seed: 7 });
	expect(() => read(object, '[1]')).toThrow(
		'"Pause" must be a JSON object, such as {"Anna": "voice ID"}',
	);
	expect(() => read(object, '{')).toThrow('"Pause" is not valid JSON');
	expect(() => read(jsonOption({ ...words, default: '[]' }, jsonArray), '{}')).toThrow(
		'"Pause" must be a JSON array',
	);
});

test('a locator has its modes in the order in which people look for them', () => {
	const spec = {
		...words,
		default: { value: 'm' },
		list: { placeholder: 'Pick one', search: 'find' },
		example: 'm-1',
		title: { displayName: 'Title', placeholder: 'e.g. Anna' },
	};
	expect(locatorProperty(spec)).toMatchObject({
		type: 'resourceLocator',
		default: { mode: 'list', value: 'm' },
		modes: [
			{
				name: 'list',
				type: 'list',
				placeholder: 'Pick one',
				typeOptions: { searchListMethod: 'find', searchable: true },
			},
			{ name: 'id', type: 'string', placeholder: 'e.g. m-1' },
			{ name: 'title', type: 'string', displayName: 'Title', placeholder: 'e.g. Anna' },
		],
	});
	const { modes } = locatorProperty({ ...spec, title: undefined });
	expect(modes?.map(({ name }) => name)).toEqual(['list', 'id']);
});

test('a locator is read from the list, by its id, and as plain text', () => {
	const field = modelField('What speaks', 'm');
	for (const value of [{ mode: 'list', value: 'a' }, { mode: 'id', value: 'a' }, 'a'])
		expect(read(field, value)).toBe('a');
	for (const empty of [{ mode: 'id', value: '' }, {}, '', undefined])
		expect(() => read(field, empty)).toThrow('"Model" is required, but is empty');
});

test('a group shows and reads its fields in their order; the first bad value is named', () => {
	const one = textField({ displayName: 'One', name: 'one' });
	const two = mapped(
		textOption({ displayName: 'Two', name: 'two', default: 'x' }),
		(text) => text.length,
	);
	const both = group({ one, two });
	expect([...both.panel, ...both.options].map(({ name }) => name)).toEqual(['one', 'two']);
	expect(both.read(given({ one: 'a', options: { two: 'abc' } }))).toEqual({ one: 'a', two: 3 });
	expect(() => group({ one, three: idField('video', words) }).read(given({}))).toThrow(
		'"One" is required',
	);
});

test('tags: as the editor has them, as a list, or as an expression gives them', () => {
	const tags = { title: 'One', year: 2026 };
	for (const given of [{ values: tags }, { values: [tags] }, tags, [tags]])
		expect(read(tagsOption, given)).toEqual({ title: 'One', year: '2026' });
	for (const none of [{}, { values: {} }, [], '']) expect(read(tagsOption, none)).toEqual({});
});

test.each(['$ {{ ', '{{', '$', '}} {{ $x '])(
	'a megabyte of %j that only begins like an expression is looked through at once',
	(piece) => {
		const text = `{{${piece.repeat(1_000_000 / piece.length)} Hello.`;
		const call = new NodeCall({
			getNode: () => ({ parameters: { text } }),
		} as unknown as IExecuteFunctions);
		const started = performance.now();
		new Parameters(call, 0).refuseLiterals([{ name: 'text', displayName: 'Text' }], []);
		expect(performance.now() - started).toBeLessThan(5_000);
	},
);
