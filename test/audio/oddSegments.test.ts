import { oddSegments } from '../../nodes/SpeechGateway/speech/oddSegments';

const ENGLISH =
	'The committee met again on Thursday, and nobody was surprised that the vote was put off once more. ';
const CHINESE = '委员会星期四再次开会，投票又一次被推迟，谁也不觉得意外。';
const NUMBERS =
	'Call 030 1234567, or 0171 9876543, or 1-800-555-0199, before 17:45 on 2026-11-21. ';

const times = (text: string, count: number) => text.repeat(count).trim();
/** What a voice takes that says so many characters a second, with silence at the edges. */
const said = (text: string, pace: number) => ({
	text,
	seconds: [...text].length / pace + 0.6,
});

describe('segments far off their text are named', () => {
	const paces = [14.2, 16.1, 15.3, 13.8, 15.9, 17.2];
	const usual = paces.map((pace) => said(times(ENGLISH, 9), pace));

	it('one of 0.1 s among others', () => {
		const segments = usual.with(2, { text: times(ENGLISH, 9), seconds: 0.1 });
		expect(oddSegments(segments)).toEqual([
			'Segment 3 is 0.1 s long for 890 characters; the others take about 56 s for as much text',
		]);
	});

	it('one that loops, and one of which two thirds are missing', () => {
		const segments = usual
			.with(0, { text: times(ENGLISH, 9), seconds: 171 })
			.with(5, { text: times(ENGLISH, 9), seconds: 19 });
		const odd = oddSegments(segments);
		expect(odd).toHaveLength(2);
		expect(odd[0]).toMatch(/^Segment 1 is 171 s long/);
		expect(odd[1]).toMatch(/^Segment 6 is 19 s long/);
	});

	it('a short one that goes on and on', () => {
		const segments = [...usual, { text: 'He nodded.', seconds: 30 }];
		expect(oddSegments(segments)).toEqual([
			'Segment 7 is 30 s long for 10 characters; the others take about 0.6 s for as much text',
		]);
	});

	it('a slow voice’s, by its own pace', () => {
		const slow = [7, 7.4, 6.8, 7.1].map((pace) => said(times(ENGLISH, 4), pace));
		expect(oddSegments([...slow, said(times(ENGLISH, 4), 22)])).toHaveLength(1);
		expect(oddSegments(slow)).toEqual([]);
	});

	it('a single one, by what people can say at all', () => {
		expect(oddSegments([{ text: times(ENGLISH, 9), seconds: 0.1 }])).toEqual([
			'The speech is 0.1 s long for 890 characters; about 55 s would be usual',
		]);
		expect(oddSegments([{ text: times(ENGLISH, 9), seconds: 500 }])).toHaveLength(1);
		expect(oddSegments([said(times(ENGLISH, 9), 15)])).toEqual([]);
	});

	it('both of two, and all of many', () => {
		const text = times(ENGLISH, 5);
		expect(oddSegments([said(text, 15), { text, seconds: 0.2 }])).toHaveLength(1);
		expect(oddSegments(Array.from({ length: 5 }, () => ({ text, seconds: 0.1 })))).toHaveLength(5);
	});
});

describe('natural speech gives no alarm', () => {
	it.each<[string, Array<{ text: string; seconds: number }>]>([
		['none', []],
		['paces from 11 to 19', [11, 19, 15, 14, 18, 12].map((pace) => said(times(ENGLISH, 9), pace))],
		['Chinese', [4.2, 5.1, 4.6, 3.9].map((pace) => said(times(CHINESE, 12), pace))],
		[
			'a Chinese quotation among English',
			[15, 14, 16].map((pace) => said(times(ENGLISH, 6), pace)).concat(said(CHINESE, 4)),
		],
		[
			'an English one among Chinese',
			[4.5, 4.1, 4.9]
				.map((pace) => said(times(CHINESE, 9), pace))
				.concat(said(times(ENGLISH, 3), 14)),
		],
		[
			'a list of numbers',
			[15, 14, 16].map((pace) => said(times(ENGLISH, 6), pace)).concat(said(times(NUMBERS, 4), 4)),
		],
		[
			'short lines of a dialogue',
			['No.', 'What?', 'Oh … well.', '(sighs) I do not know.', 'Run!', times(ENGLISH, 2)].map(
				(text, index) => ({ text, seconds: [0.4, 0.7, 3.1, 4.2, 0.5, 13][index] }),
			),
		],
		['dots and dashes only', [{ text: '… — …', seconds: 1.2 }]],
		['double speed', [said(times(ENGLISH, 9), 32)]],
		['half speed', [said(times(ENGLISH, 9), 7)]],
		['Thai', [said('คณะกรรมการประชุมกันอีกครั้งเมื่อวันพฤหัสบดี และไม่มีใครแปลกใจ'.repeat(5), 13)]],
	])('%s', (_, segments) => {
		expect(oddSegments(segments)).toEqual([]);
	});
});
