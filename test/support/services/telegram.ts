import { type Answer, type Call, fieldsOf, received, type ReceivedFile, serve } from './service';

/** What a chat has been sent. */
export interface TelegramMessage {
	method: string;
	chatId: string;
	text?: string;
	file?: ReceivedFile;
}

const refused = (description: string): Answer => ({
	status: 400,
	body: { ok: false, error_code: 400, description: `Bad Request: ${description}` },
});

/** What each method takes, by the names and types that its documents state. */
const FILES: Record<string, { field: string; name: RegExp; type: RegExp }> = {
	sendAudio: { field: 'audio', name: /\.(mp3|m4a)$/i, type: /^audio\/(mpeg|mp4|m4a|x-m4a)$/ },
	sendVoice: { field: 'voice', name: /\.(ogg|oga|mp3|m4a)$/i, type: /^audio\/(ogg|mpeg|mp4)/ },
	sendDocument: { field: 'document', name: /./, type: /./ },
	sendVideo: { field: 'video', name: /\.mp4$/i, type: /^video\/mp4$/ },
};

const MOST_TEXT = 4096;
const MOST_CAPTION = 1024;

/** Telegram's Bot API, as far as messages go, from its documents. It refuses what they do not allow. */
export async function startTelegram(token = '1234:test') {
	const messages: TelegramMessage[] = [];
	let webhook: { url: string; secret_token?: string } | undefined;
	let updates = 0;

	async function answer(call: Call): Promise<Answer> {
		const [, of, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(call.path) ?? [];
		if (of !== token)
			return { status: 401, body: { ok: false, error_code: 401, description: 'Unauthorized' } };
		const fields = { ...Object.fromEntries(call.query), ...(await fieldsOf(call)) };
		const done = (result: unknown): Answer => ({ body: { ok: true, result } });
		if (method === 'getMe') return done({ id: 1, is_bot: true, first_name: 'Test' });
		if (method === 'getWebhookInfo') return done({ url: webhook?.url ?? '' });
		if (method === 'deleteWebhook') {
			webhook = undefined;
			return done(true);
		}
		if (method === 'setWebhook') {
			webhook = { url: String(fields.url), secret_token: fields.secret_token as string };
			return done(true);
		}
		if (method === 'sendChatAction') return done(true);
		const chatId = String(fields.chat_id ?? '');
		if (!/^-?\d+$|^@/.test(chatId)) return refused('chat_id is empty');
		const text = method === 'sendMessage' ? fields.text : fields.caption;
		const words = typeof text === 'string' ? text : '';
		const most = method === 'sendMessage' ? MOST_TEXT : MOST_CAPTION;
		if (method === 'sendMessage' && words.trim() === '') return refused('message text is empty');
		if (shownLength(words, fields.parse_mode) > most) return refused('message is too long');
		const broken = unparsed(words, fields.parse_mode);
		if (broken) return refused(`can't parse entities: ${broken}`);
		const rule = FILES[method];
		if (!rule && method !== 'sendMessage')
			return { status: 404, body: { ok: false, error_code: 404, description: 'Not Found' } };
		const file = rule && (await received(fields[rule.field]));
		if (rule && !file) return refused(`there is no ${rule.field} in the request`);
		if (file && file.bytes.length === 0) return refused('file must be non-empty');
		if (rule && file && !(rule.name.test(file.name) && rule.type.test(file.type)))
			return refused(`wrong type of file: ${file.name}, ${file.type}`);
		messages.push({ method, chatId, ...(words && { text: words }), ...(file && { file }) });
		return done({ message_id: messages.length, chat: { id: Number(chatId) }, date: 0 });
	}

	const server = await serve(answer);
	return {
		...server,
		token,
		messages,
		/** Delivers an update to the bot's webhook, as Telegram does; `times`: it repeats what was not answered in time. */
		async deliver(update: { update_id: number } & Record<string, unknown>, times = 1) {
			if (!webhook) throw new Error('The bot has set no webhook');
			const { url, secret_token } = webhook;
			for (let i = 0; i < times; i++)
				await fetch(url, {
					method: 'POST',
					headers: {
						'content-type': 'application/json',
						'x-telegram-bot-api-secret-token': secret_token ?? '',
					},
					body: JSON.stringify(update),
				});
		},
		/** A text that somebody writes to the bot. */
		says: (text: string, chatId = 77) => ({
			update_id: ++updates,
			message: {
				message_id: updates,
				from: { id: chatId, is_bot: false, first_name: 'Ada', language_code: 'en' },
				chat: { id: chatId, first_name: 'Ada', type: 'private' },
				date: 1_700_000_000,
				text,
			},
		}),
	};
}

/** Characters of a text as it is shown: the limits are those after parsing. */
const shownLength = (text: string, mode: unknown): number =>
	Array.from(mode === 'HTML' ? text.replace(/<[^>]*>/g, '').replace(/&#?\w+;/g, '_') : text).length;

/** What Telegram cannot parse in a text of a parse mode; undefined: nothing. */
function unparsed(text: string, mode: unknown): string | undefined {
	if (mode === 'Markdown' || mode === 'MarkdownV2') {
		const bare = text.replace(/\\[\s\S]/g, '').replace(/```[\s\S]*?```|`[^`]*`/g, '');
		for (const mark of ['_', '*', '`'])
			if ((bare.split(mark).length - 1) % 2 === 1)
				return `Can't find end of the entity starting at byte offset ${Buffer.byteLength(bare.slice(0, bare.lastIndexOf(mark)))}`;
		if (/\[[^\]]*$/.test(bare)) return "Can't find end of the entity";
		if (mode === 'MarkdownV2' && /[.!#+\-=|{}()>~]/.test(bare))
			return 'a character is reserved and must be escaped';
	}
	if (mode === 'HTML') {
		const open: string[] = [];
		for (const [, slash, tag] of text.matchAll(/<(\/?)([^\s>]*)[^>]*>?/g)) {
			if (!/^(b|strong|i|em|u|ins|s|strike|del|code|pre|a|tg-spoiler|blockquote)$/.test(tag))
				return `Unsupported start tag "${tag}"`;
			if (!slash) open.push(tag);
			else if (open.pop() !== tag) return `Unmatched end tag "${tag}"`;
		}
		if (open.length > 0) return `Can't find end tag corresponding to start tag "${open.at(-1)}"`;
	}
	return undefined;
}
