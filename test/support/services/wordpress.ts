import { type Answer, type Call, type ReceivedFile, serve } from './service';

interface Post {
	id: number;
	modified_gmt: string;
	link: string;
	title: { rendered: string };
	content: { rendered: string };
	status: string;
}

/** File types that WordPress takes as it is installed, by their extensions. */
const AUDIO: Record<string, string> = {
	mp3: 'audio/mpeg',
	m4a: 'audio/mpeg',
	ogg: 'audio/ogg',
	oga: 'audio/ogg',
	wav: 'audio/wav',
};

const refused = (status: number, code: string, message: string): Answer => ({
	status,
	body: { code, message, data: { status } },
});

/** The REST API of a WordPress site: posts and media, from its handbook. */
export async function startWordPress(articles: Array<{ title: string; html: string }>) {
	const media: Array<ReceivedFile & { id: number }> = [];
	let refusals = 0;
	const posts = articles.map(
		({ title, html }, index): Post => ({
			id: index + 10,
			modified_gmt: '2026-11-20T08:00:00',
			link: `https://blog.example.com/${index + 10}`,
			title: { rendered: title },
			content: { rendered: html },
			status: 'publish',
		}),
	);

	function answer({ method, path, headers, body }: Call): Answer {
		if (!/^Basic \S/.test(headers.authorization ?? ''))
			return refused(401, 'rest_not_logged_in', 'You are not currently logged in.');
		const resource = path.replace(/^.*\/wp\/v2/, '');
		if (resource === '/media' && method === 'POST') {
			const { 'content-disposition': disposition = '', 'content-type': type = '' } = headers;
			const [, name] = /filename="?([^";]+)"?/.exec(disposition) ?? [];
			if (!name)
				return refused(
					400,
					'rest_upload_no_content_disposition',
					'No Content-Disposition supplied.',
				);
			if (body.length === 0) return refused(400, 'rest_upload_no_data', 'No data supplied.');
			const expected = AUDIO[name.split('.').at(-1)!.toLowerCase()];
			if (!expected || !type.startsWith(expected))
				return refused(
					500,
					'rest_upload_sideload_error',
					'Sorry, you are not allowed to upload this file type.',
				);
			if (refusals > 0) {
				refusals -= 1;
				return refused(500, 'rest_upload_unknown_error', 'The uploaded file could not be moved.');
			}
			const id = media.length + 500;
			media.push({ id, name, type, bytes: body });
			const url = `https://blog.example.com/wp-content/uploads/${name}`;
			return {
				status: 201,
				body: { id, source_url: url, media_type: 'file', mime_type: expected },
			};
		}
		if (resource === '/posts' && method === 'GET') return { body: posts };
		const post = posts.find(({ id }) => resource === `/posts/${id}`);
		if (!post) return refused(404, 'rest_post_invalid_id', 'Invalid post ID.');
		const { content } = JSON.parse(body.toString() || '{}') as { content?: string };
		if (content === '')
			return refused(400, 'empty_content', 'Content, title, and excerpt are empty.');
		if (content !== undefined) post.content = { rendered: content };
		return { body: post };
	}

	return {
		...(await serve(answer)),
		posts,
		media,
		/** Lets the site take no more files, so many times. */
		refuse: (times: number) => void (refusals = times),
	};
}
