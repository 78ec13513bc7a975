import { EXTENSIONS } from '../../nodes/SpeechGateway/audio';
import { besideAudio, withExtension, withSuffix } from '../../nodes/SpeechGateway/files/fileName';

const bytes = (name: string) => Buffer.byteLength(name, 'utf8');

test.each([
	['speech', 'speech.mp3'],
	['speech.MP3', 'speech.MP3'],
	['chapter 1.wav', 'chapter 1.wav.mp3'],
	['../../etc/passwd', 'etc_passwd.mp3'],
	['..\\..\\boot.ini', 'boot.ini.mp3'],
	['.hidden', 'hidden.mp3'],
	[' ..leading', 'leading.mp3'],
	['trailing. . ', 'trailing.mp3'],
	['a\u0000b:c?', 'a_b_c_.mp3'],
	['evil\u202Egpj.exe', 'evilgpj.exe.mp3'],
	['\u2066isolated\u2069\uFEFF', 'isolated.mp3'],
	['line\u2028end', 'lineend.mp3'],
	['half \uD83D of a pair', 'half _ of a pair.mp3'],
	['con', '_con.mp3'],
	['NUL.txt', '_NUL.txt.mp3'],
	['lpt1 .x', '_lpt1 .x.mp3'],
	['Com²', '_Com².mp3'],
	['console', 'console.mp3'],
	['', 'file.mp3'],
	['...', 'file.mp3'],
	['\u202E', 'file.mp3'],
	['👩‍👩‍👧 می‌خواهم', '👩‍👩‍👧 می‌خواهم.mp3'],
])('%j becomes %j', (given, expected) => expect(withExtension(given, 'mp3')).toBe(expected));

test.each([
	['voice', 'voice.ogg'],
	['voice.ogg', 'voice.ogg'],
	['Voice.OGG', 'Voice.OGG'],
	['voice.oga', 'voice.oga'],
	['voice.opus', 'voice.opus'],
	['voice.mp3', 'voice.mp3.ogg'],
	['v1.0', 'v1.0.ogg'],
	['ogg', 'ogg.ogg'],
	['.opus', 'file.opus'],
])('%j keeps an extension that fits Opus: %j', (name, expected) =>
	expect(withExtension(name, ...EXTENSIONS.opus)).toBe(expected),
);

test('PCM has two extensions', () => {
	const names = ['take.pcm', 'take.raw', 'take.wav'];
	expect(names.map((name) => withExtension(name, ...EXTENSIONS.pcm))).toEqual([
		'take.pcm',
		'take.raw',
		'take.wav.pcm',
	]);
});

test.each([
	['voice', 'voice.srt', 'voice-part-2'],
	['voice.ogg', 'voice.srt', 'voice-part-2.ogg'],
	['Take 1.WAV', 'Take 1.srt', 'Take 1-part-2.WAV'],
	['v1.0', 'v1.0.srt', 'v1.0-part-2'],
])('what comes along with %j: %j, %j', (name, subtitles, part) => {
	expect(besideAudio(name, 'srt')).toBe(subtitles);
	expect(withSuffix(name, 'part-2')).toBe(part);
});

test.each([
	['Latin', 'x', 'x'.repeat(200)],
	['Chinese', '语', '语'.repeat(66)],
	['a family of emoji (25 bytes)', '👨‍👩‍👧‍👦', '👨‍👩‍👧‍👦'.repeat(8)],
	['flags (8 bytes)', '🇫🇷', '🇫🇷'.repeat(25)],
	['letters of two code points (3 bytes)', 'e\u0301', 'e\u0301'.repeat(66)],
])('a long name of %s is cut between graphemes', (_, unit, expected) => {
	expect(withExtension(unit.repeat(10_000), 'mp3')).toBe(`${expected}.mp3`);
	expect(bytes(withExtension(unit.repeat(300), 'mp3'))).toBeLessThan(255);
});

test('one grapheme that is longer than a name may be is cut between its code points', () => {
	const name = withExtension(`a${'\u0301'.repeat(10_000)}`, 'mp3');
	expect(name).toBe(`a${'\u0301'.repeat(99)}.mp3`);
});

test('a name of megabytes costs no time', () => {
	for (const unit of ['.', ' ', '/', '\u202E', ':', '. '])
		expect(bytes(withExtension(unit.repeat(2_000_000), 'mp3'))).toBeLessThan(255);
});
