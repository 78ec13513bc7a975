import { createHmac } from 'node:crypto';
import { type Answer, type Call, fieldsOf, received, type ReceivedFile, serve } from './service';

export interface WhatsAppMessage {
	to: string;
	type: string;
	text?: string;
	file?: ReceivedFile;
}

const refused = (message: string): Answer => ({
	status: 400,
	body: {
		error: { message: `(#100) ${message}`, type: 'OAuthException', code: 100, fbtrace_id: 'A' },
	},
});

/** By the table "Supported media types" of its documents: plain `audio/ogg` is not supported. */
const AUDIO = /^audio\/(aac|mp4|mpeg|amr|ogg; ?codecs="?opus"?)$/;
const MOST_BYTES = 16 * 2 ** 20;
const MOST_TEXT = 4096;

/** WhatsApp's Cloud API, as far as messages and their webhook go, from its documents. */
export async function startWhatsApp() {
	const secret = 'app-secret';
	const messages: WhatsAppMessage[] = [];
	const media = new Map<string, ReceivedFile>();
	let webhook: string | undefined;
	let received_ = 0;

	async function answer(call: Call): Promise<Answer> {
		const path = call.path.replace(/^\/v\d+\.\d+/, '');
		if (path === '/oauth/access_token')
			return { body: { access_token: 'app', token_type: 'bearer' } };
		if (!/^Bearer \S/.test(call.headers.authorization ?? ''))
			return { status: 401, body: { error: { message: 'Invalid OAuth access token', code: 190 } } };
		const fields = await fieldsOf(call);
		if (path.endsWith('/subscriptions')) return await subscribe(call.method, fields);
		if (path.endsWith('/media')) {
			const file = await received(fields.file);
			if (fields.messaging_product !== 'whatsapp' || !file) return refused('Invalid parameter');
			if (!AUDIO.test(file.type))
				return refused(
					`Param file must be a file with one of the following types: … Received file of type '${file.type}'.`,
				);
			if (file.bytes.length === 0 || file.bytes.length > MOST_BYTES)
				return refused('Media upload error');
			const id = String(1000 + media.size);
			media.set(id, file);
			return { body: { id } };
		}
		if (!path.endsWith('/messages')) return refused('Unsupported post request');
		const {
			to,
			type = 'text',
			text,
			audio,
		} = fields as {
			to?: string;
			type?: string;
			text?: { body?: string };
			audio?: { id?: string; link?: string };
		};
		if (!to || !/^\d+$/.test(to)) return refused('The parameter to is required.');
		if (type === 'text' && (!text?.body?.trim() || text.body.length > MOST_TEXT))
			return refused('The parameter text["body"] is required.');
		const file = audio?.id === undefined ? undefined : media.get(audio.id);
		if (type === 'audio' && !file && !audio?.link)
			return refused(`${audio?.id} is not a valid whatsapp business account media attachment ID`);
		messages.push({ to, type, ...(text?.body && { text: text.body }), ...(file && { file }) });
		const id = `wamid.${messages.length}`;
		return {
			body: { messaging_product: 'whatsapp', contacts: [{ input: to }], messages: [{ id }] },
		};
	}

	/** It asks the address for its challenge before it takes it. */
	async function subscribe(method: string, fields: Record<string, unknown>): Promise<Answer> {
		if (method === 'GET') return { body: { data: [] } };
		if (method === 'DELETE') webhook = undefined;
		else {
			const url = new URL(String(fields.callback_url));
			url.searchParams.set('hub.mode', 'subscribe');
			url.searchParams.set('hub.challenge', '4711');
			url.searchParams.set('hub.verify_token', String(fields.verify_token));
			const said = await (await fetch(url)).text();
			if (said !== '4711') return refused('Callback verification failed');
			webhook = String(fields.callback_url);
		}
		return { body: { success: true } };
	}

	const server = await serve(answer);
	return {
		...server,
		secret,
		messages,
		/** A text that somebody writes, delivered to the app's webhook with its signature. */
		async deliver(
			text: string,
			{ from = '491701234567', id = `wamid.in.${++received_}`, times = 1 } = {},
		) {
			if (!webhook) throw new Error('The app has subscribed to nothing');
			const message = { from, id, timestamp: '1700000000', type: 'text', text: { body: text } };
			const value = {
				messaging_product: 'whatsapp',
				metadata: { display_phone_number: '15550001111', phone_number_id: '106540352242922' },
				contacts: [{ profile: { name: 'Ada' }, wa_id: from }],
				messages: [message],
			};
			const body = JSON.stringify({
				object: 'whatsapp_business_account',
				entry: [{ id: '1', changes: [{ field: 'messages', value }] }],
			});
			const signature = createHmac('sha256', secret).update(body).digest('hex');
			for (let i = 0; i < times; i++)
				await fetch(webhook, {
					method: 'POST',
					headers: {
						'content-type': 'application/json',
						'x-hub-signature-256': `sha256=${signature}`,
					},
					body,
				});
			return id;
		},
	};
}
