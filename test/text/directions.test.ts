/** Stage directions, screenplays, and what models say around a script. */
import { parseDialogue } from '../../nodes/SpeechGateway/text/dialogue';
import { scriptOfTurns } from '../../nodes/SpeechGateway/text/turns';
import { prepare } from './prepared';

const SPEAKERS = ['Anna', 'Ben', 'host_1', 'SPEAKER_00', 'Maria (Host)', '小明'];
const parse = (script: string, speakers = SPEAKERS) => {
	const parsed = parseDialogue(script, speakers);
	return { ...parsed, said: parsed.lines.map(({ speaker, text }) => [speaker, text]) };
};
const said = (script: string, speakers?: string[]) => parse(script, speakers).said;

describe('a bracket right behind a name', () => {
	test.each([
		['Anna: (nodding) Yes.', 'Yes.'],
		['Anna: [turns to the window] Look at that.', 'Look at that.'],
		['**Anna:** *(leaning in)* “Really?”', '“Really?”'],
		["ANNA: (to Ben, under her breath) He's late.", "He's late."],
		['Anna: (BEAT) I know.', 'I know.'],
		['Anna (pouring tea): Sugar?', 'Sugar?'],
		['Anna: (looking up) (smiles) Oh, you.', '(smiles) Oh, you.'],
		['小明：（点头）好的。', '好的。'],
	])('is a direction: %s', (script, words) => {
		const { lines, leftOut } = parse(script);
		expect(lines.map(({ text }) => text)).toEqual([words]);
		expect(leftOut.direction).toBeDefined();
	});
	test.each([
		'(555) 123-4567 is the number.',
		'[The captain] said so.',
		'(a) is right, (b) is wrong.',
		'(nodding) and then she left.',
		'(In 1998) They came.',
		'(I never said that.) Did I?',
		'(ok, fine) Go.',
		'(see page 4) It says so.',
		'(about) 300 came.',
		'[2004] UKHL 22 is the case.',
		'(Maria) She did it.',
		'(x) Mark the box.',
		'[sic] He wrote that.',
		'(un)happy people',
		'(one two three four five six seven) Go.',
		'(c) Copyright.',
		'Yes (nodding) No.',
	])('is words: %s', (words) => {
		const isSic = words.startsWith('[sic]');
		expect(said(`Anna: ${words}`)).toEqual([['Anna', isSic ? 'He wrote that.' : words]]);
	});
	test.each([
		'(laughs harder) No!',
		'(happy gasp) Oh!',
		'[strong French accent] Bonjour.',
		'(sighs) Well.',
	])('is a tone: %s', (words) => {
		expect(said(`Anna: ${words}`)).toEqual([['Anna', words]]);
		const { spoken } = prepare(words, { isSpeech: true });
		expect(spoken.text).toBe(words);
	});
	test('stays in square brackets where the model takes directions', () => {
		const script = 'Anna: [nodding] Yes.\nBen: (nodding) No.';
		const { lines } = parseDialogue(script, SPEAKERS, { takesDirections: true });
		expect(lines.map(({ text }) => text)).toEqual(['[nodding] Yes.', 'No.']);
	});
	test('before the colon, too', () => {
		expect(said('Anna (laughs harder): No!')).toEqual([['Anna', '(laughs harder) No!']]);
		expect(prepare('(happy gasp) Oh!').spoken.text).toBe('happy gasp, Oh!');
	});
});

describe('names', () => {
	test('with underscores, numbers, and a bracket', () => {
		const script =
			'host_1: Hello.\n**host_1:** Again.\nSPEAKER_00: Yes.\nMaria (Host): Welcome.\nAnna (Guest): Thanks.';
		expect(said(script)).toEqual([
			['host_1', 'Hello.'],
			['host_1', 'Again.'],
			['SPEAKER_00', 'Yes.'],
			['Maria (Host)', 'Welcome.'],
			['Anna', 'Thanks.'],
		]);
	});
	test('in brackets before their words', () => {
		const script =
			'[Anna]Welcome back.\n[Ben] Thanks, Anna.\n**[host_1]** And me.\n[Applause] All.';
		expect(said(script)).toEqual([
			['Anna', 'Welcome back.'],
			['Ben', 'Thanks, Anna.'],
			['host_1', 'And me.\n[Applause] All.'],
		]);
		expect(prepare('[Host]Welcome back.').spoken.text).toBe('Host, Welcome back.');
		expect(prepare('[T]he sea, (un)kind.').spoken.text).toBe('The sea, unkind.');
	});
	test.each(['<Anna>Hi.</Ben>', '<Anna>Hi.</Ben>Ho.</Anna>', '<Anna>Hi.</Anna><Ben>Ho.</Anna>'])(
		'in tags that do not match: %s',
		(script) => {
			expect(() => parse(script)).toThrow(
				/^In the script, <(Anna|Ben)> ends with <\/(Anna|Ben)>: ".*Hi/,
			);
		},
	);
});

const SCENE = `FADE IN:

INT. KITCHEN - NIGHT

Rain. Anna at the window.

ANNA
(quietly)
You're late.

Ben sits down. He
is wet.

BEN (CONT'D)
I know.
It rained.

ANNA (V.O.)
It always did.

CUT TO:

EXT. GARDEN - DAY

FADE OUT.`;

describe('a screenplay', () => {
	test('a speech ends at its blank line; what is between is nobody’s', () => {
		const { said: all, leftOut } = parse(SCENE);
		expect(all).toEqual([
			['Anna', "(quietly)\nYou're late."],
			['Ben', 'I know.\nIt rained.'],
			['Anna', 'It always did.'],
		]);
		expect(leftOut.direction).toBe('FADE IN:');
	});
	test('or the narrator’s, if there is one', () => {
		expect(said(SCENE, ['Anna', 'Ben', 'Narrator'])).toEqual([
			['Narrator', 'Rain. Anna at the window.'],
			['Anna', "(quietly)\nYou're late."],
			['Narrator', 'Ben sits down. He\nis wet.'],
			['Ben', 'I know.\nIt rained.'],
			['Anna', 'It always did.'],
		]);
	});
	test('the smallest', () => {
		const script = "ANNA\nYou're late.\n\nBen sits down.\n\nBEN\nI know.\n\nFADE OUT.";
		expect(said(script)).toEqual([
			['Anna', "You're late."],
			['Ben', 'I know.'],
		]);
	});
	test('without its marks, a speech lasts to the next name', () => {
		const script = 'ANNA\nOne.\n\nTwo.\n\nBEN\nThree.\n\nFour: five.';
		expect(said(script)).toEqual([
			['Anna', 'One.\n\nTwo.'],
			['Ben', 'Three.\n\nFour: five.'],
		]);
	});
	test('who is in no list is found', () => {
		expect(parse(`${SCENE}\n\nCARL\nHo.`).unknownSpeakers).toEqual(['CARL']);
		const script = `OLD MAN\nHo.\n\n${SCENE}\n\nOLD MAN\nNo.`;
		expect(parse(script).unknownSpeakers).toEqual(['OLD MAN']);
	});
	test('names before a colon stay as they are', () => {
		const script = 'Anna: FADE OUT.\n\nThat is what it says.\nBen: INT. means inside.';
		expect(said(script)).toEqual([
			['Anna', 'FADE OUT.\n\nThat is what it says.'],
			['Ben', 'INT. means inside.'],
		]);
	});
});

const TALK = 'Anna: Hi there.\nBen: Hello!';
const HELLO = [
	['Anna', 'Hi there.'],
	['Ben', 'Hello!'],
];
describe('what a model says behind the script', () => {
	test.each([
		'---\n\nWould you like any changes?',
		'---\nLet me know if you want more humor. I can add a third host.',
		'***\n**Word count:** about 450 words',
		'\n---\n\nFeel free to use it.\n\nI hope your listeners like it!',
		'Would you like me to make the script longer?',
		'Let me know if you would like any changes to the tone or length!',
		'*This script runs about three minutes and keeps a light tone.*',
		'[End of script]',
		'**End of Transcript**',
		'Transcribed by Otter Lake Services',
		'Möchtest du, dass ich das Skript kürzer mache?',
		'如果需要修改脚本，请告诉我。',
	])('%j', (words) => {
		const { said: all, leftOut } = parse(`${TALK}\n\n${words}`);
		expect(all).toEqual(HELLO);
		expect(leftOut.closing).toContain(words.replace(/^[\s*-]+|[\s*]+$/g, '').slice(-12));
		expect(said(`\`\`\`\n${TALK}\n\`\`\`\n\n${words}`)).toEqual(HELLO);
	});
	test('behind a fence', () => {
		expect(said(`\`\`\`text\n${TALK}\n\`\`\`\nWould you like any changes?`)).toEqual(HELLO);
	});
	test.each([
		'Would you like some tea?',
		'I can see the harbour from here.',
		'Let me know when you arrive.',
		'The end of the script was the best part, I think.',
		'The tone of his voice changed.',
		'I hope it rains.',
		'---\nThat was Monday. On Tuesday, it rained.',
		'***\n\nThe next day, nobody came.',
		'If you ask me, the version with the cat is better and I said so.\nBut nobody listens.',
		'A script is only words.',
		'This script is all wrong, Ben.',
		'Transcribed by hand, the songs came down to us.',
	])('somebody in it says: %j', (words) => {
		const { leftOut } = parse(`${TALK}\n\n${words}`);
		const isKept = leftOut.closing === undefined;
		expect([words, isKept]).toEqual([words, true]);
		expect(said(`${TALK}\n\n${words}`)[1][1]).toBe(`Hello!\n\n${words}`);
	});
	test('before the last name, it is said', () => {
		const script = `Anna: Hi.\n\nLet me know if the script is too long.\n\nBen: Yes.`;
		expect(said(script)[0][1]).toBe('Hi.\n\nLet me know if the script is too long.');
	});
});

describe('a list of turns', () => {
	const HI_HO = { script: 'Anna: Hi.\nBen: Ho.', names: ['Anna', 'Ben'] };
	test.each([
		'[{"speaker":"Anna","text":"Hi."},{"speaker":"Ben","text":"Ho."}]',
		'```json\n[{"name":"Anna","line":" Hi. "},{"name":"Ben","line":"Ho."}]\n```',
		'Here is the script:\n\n```json\n{"title": "Sea", "turns": [{"role":"Anna","content":"Hi."},{"role":"Ben","content":"Ho."}]}\n```\nEnjoy!',
		'[{"speaker":"Anna","text":"Hi.","tone":"glad"},{"speaker":"Ben","text":"Ho."},{"speaker":"Ben","text":""}]',
	])('%s', (source) => expect(scriptOfTurns(source)).toEqual(HI_HO));
	test.each([
		'[Anna] Hi.',
		'[1, 2]',
		'[]',
		'{"Anna": "Hi."}',
		'[{"speaker":"Anna"}]',
		'[{"speaker":"Anna","text":"Hi."},{"note":"x"}]',
		'Anna: [{"speaker":"Anna","text":"Hi."}]',
		'{"a":[{"speaker":"Anna","text":"Hi."}],"b":[]}',
		'Anna: Hi.\n```json\n{"a": 1}\n```',
	])('is a text: %s', (source) => expect(scriptOfTurns(source)).toBeUndefined());
	test('whose names are certain, whatever is in them', () => {
		const { script, names } = scriptOfTurns('[{"speaker":"the moon","text":"Hi."}]')!;
		expect(parseDialogue(script, ['Anna'], { named: names }).unknownSpeakers).toEqual(['the moon']);
	});
});
