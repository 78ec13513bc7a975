import { serve } from './service';
import { startGoogle } from './google';
import { startSlack } from './slack';
import { startTelegram } from './telegram';
import { startWhatsApp } from './whatsapp';
import { startWordPress } from './wordpress';

const ARTICLE = { title: 'Boats', html: '<p>The boats are <b>blue</b>.</p>' };

const item = (title: string, text: string) => `<item><title>${title}</title>
<link>https://example.com/${title}</link><guid>guid-${title}</guid><description>${text}</description>
<content:encoded><![CDATA[<h2>Part one</h2><p>${text}</p>]]></content:encoded></item>`;

/** The services of the people at both ends of the examples, and a feed of two items. */
export async function startServices() {
	const rows = [
		['id', 'text', 'status', 'link'],
		['r1', 'Good morning.', '', ''],
		['r2', 'Already done.', 'done', 'https://example.com'],
		['r3', 'Good night.', '', ''],
	];
	const [telegram, whatsApp, google, slack, wordPress] = await Promise.all([
		startTelegram(),
		startWhatsApp(),
		startGoogle(rows),
		startSlack(),
		startWordPress([ARTICLE]),
	]);
	const feed = await serve(() => ({
		headers: { 'content-type': 'application/rss+xml' },
		body: `<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
<title>Feed</title>${item('Harbour', 'The harbour is quiet.')}${item('Gulls', 'The gulls are back.')}</channel></rss>`,
	}));
	return {
		telegram,
		whatsApp,
		google,
		slack,
		wordPress,
		feed,
		/** Ports, by the hosts that are fixed in n8n's nodes. */
		hosts: {
			'graph.facebook.com': whatsApp.port,
			'sheets.googleapis.com': google.port,
			'www.googleapis.com': google.port,
			'oauth2.googleapis.com': google.port,
			'slack.com': slack.port,
		},
		async close() {
			for (const one of [telegram, whatsApp, google, slack, wordPress, feed]) await one.close();
		},
	};
}
