/* eslint-disable @n8n/community-nodes/no-restricted-globals, no-console -- runs outside n8n */
import { parseArgs } from 'node:util'; // eslint-disable-line @n8n/community-nodes/no-restricted-imports -- runs outside n8n
import { Budget, Gateway, NotSent } from './gateway/client';
import { questions, type QuestionOptions } from './gateway/questions';

export interface CheckOptions extends QuestionOptions {
	apiKey: string;
	/** In any form that the credential takes. */
	baseUrl: string;
	/** No more than so many tokens are spent, by the billing rules and the multiplier below. */
	tokens: number;
	multiplier: number;
	/** Of one request. */
	timeoutMs: number;
	log(line: string): void;
}

/** One line of the table. */
export interface Finding {
	question: string;
	assumed: string;
	found: string;
	/** Undefined: it could not be asked. */
	asAssumed?: boolean;
}

/** What the gateway recommends for speech, and a margin. */
const TIME_OUT_MS = 180_000;
const POLL_MS = 2_000;

const HELP = `npm run check:gateway -- --base-url https://host [--tokens 2000] [--multiplier 1] [--chat-model ID]
The API key is read from the variable SPEECH_GATEWAY_KEY.`;

/**
 * `npm run check:gateway`: asks a real gateway what its description leaves open, and prints what the nodes assume beside
 * what is so. It spends no more tokens than `--tokens`, sends nothing billed twice, and deletes the voice that it clones.
 */
export async function main(args: string[]): Promise<number> {
	const { values } = parseArgs({
		args,
		options: {
			'base-url': { type: 'string' },
			tokens: { type: 'string', default: '2000' },
			multiplier: { type: 'string', default: '1' },
			'speech-model': { type: 'string', default: 'fish-speech' },
			'chat-model': { type: 'string' },
		},
	});
	const apiKey = process.env.SPEECH_GATEWAY_KEY;
	const baseUrl = values['base-url'];
	const [tokens, multiplier] = [Number(values.tokens), Number(values.multiplier)];
	if (!apiKey || !baseUrl || !(tokens >= 0) || !(multiplier > 0)) throw new Error(HELP);
	const { findings, spent } = await checkGateway({
		apiKey,
		baseUrl,
		tokens,
		multiplier,
		speechModel: values['speech-model'],
		chatModel: values['chat-model'],
		pollMs: POLL_MS,
		timeoutMs: TIME_OUT_MS,
		log: (line) => console.log(line),
	});
	const others = findings.filter(({ asAssumed }) => asAssumed === false).length;
	console.log(`\n${table(findings)}\n`);
	console.log(
		`${others} of ${findings.length} are not as assumed. At most ${spent} tokens were spent.`,
	);
	return others === 0 ? 0 : 1;
}

/** Asks everything that the budget allows, in order; what is made is deleted also when a question fails. */
export async function checkGateway(
	options: CheckOptions,
): Promise<{ findings: Finding[]; spent: number }> {
	const budget = new Budget(options.tokens, options.multiplier);
	const gateway = new Gateway(options, budget);
	const findings: Finding[] = [];
	for (const { question, assumed, ask } of questions(gateway, options)) {
		options.log(`${question} …`);
		findings.push({ question, assumed, ...(await answered(ask, gateway)) });
	}
	return { findings, spent: Math.ceil(budget.spent) };
}

/** How a question was answered. Whatever goes wrong is an answer, too: the other questions are asked all the same. */
async function answered(
	ask: () => Promise<{ found: string; asAssumed?: boolean }>,
	gateway: Gateway,
): Promise<{ found: string; asAssumed?: boolean }> {
	try {
		const { found, asAssumed } = await ask();
		return { found: gateway.redact(found), asAssumed };
	} catch (error) {
		const { message } = error as Error;
		if (error instanceof NotSent) return { found: message };
		return { found: gateway.redact(`no answer: ${message}`), asAssumed: false };
	}
}

function table(findings: Finding[]): string {
	const cell = (text: string) => text.replaceAll('|', '\\|').replace(/\s+/g, ' ');
	const mark = ({ asAssumed }: Finding) =>
		asAssumed === undefined ? '?' : asAssumed ? 'yes' : '**no**';
	const rows = findings.map((finding) =>
		[finding.question, finding.assumed, finding.found].map(cell).concat(mark(finding)),
	);
	return [['question', 'assumed', 'found', 'as assumed'], ['---', '---', '---', '---'], ...rows]
		.map((row) => `| ${row.join(' | ')} |`)
		.join('\n');
}
