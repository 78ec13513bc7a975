import { type Answer, type Call, fieldsOf, serve } from './service';

/** Slack's `chat.postMessage`, from its documents: always 200, with `ok`. */
export async function startSlack() {
	const messages: Array<{ channel: string; text: string }> = [];

	async function answer(call: Call): Promise<Answer> {
		if (call.path !== '/api/chat.postMessage')
			return { body: { ok: false, error: 'unknown_method' } };
		if (!/^Bearer \S/.test(call.headers.authorization ?? ''))
			return { body: { ok: false, error: 'not_authed' } };
		const { channel = '', text = '' } = (await fieldsOf(call)) as Record<string, string>;
		if (!channel) return { body: { ok: false, error: 'channel_not_found' } };
		if (!text.trim()) return { body: { ok: false, error: 'no_text' } };
		messages.push({ channel, text });
		return { body: { ok: true, channel, ts: `${messages.length}.0`, message: { text } } };
	}

	return { ...(await serve(answer)), messages };
}
