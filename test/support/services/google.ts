import { type Answer, type Call, type ReceivedFile, serve } from './service';

const refused = (status: number, message: string, reason = 'INVALID_ARGUMENT'): Answer => ({
	status,
	body: { error: { code: status, message, status: reason } },
});

/** Google Sheets and Drive, as far as n8n's nodes use them, from their documents. `rows`: a sheet, its column names first. */
export async function startGoogle(rows: string[][] = []) {
	const files: Array<ReceivedFile & { id: string }> = [];
	let refusals = 0;
	const uploads = new Map<string, { name: string; type: string; size: number; bytes: Buffer }>();

	function answer(call: Call): Answer {
		const { path } = call;
		if (path === '/token')
			return { body: { access_token: 'token', token_type: 'Bearer', expires_in: 3600 } };
		const isUpload = path.startsWith('/upload/session/');
		if (!isUpload && !/^Bearer \S/.test(call.headers.authorization ?? ''))
			return refused(401, 'Request is missing required authentication credential.');
		if (path.startsWith('/v4/spreadsheets/')) return sheets(call);
		if (path === '/upload/drive/v3/files') return begin(call);
		if (isUpload) return upload(call);
		const [, id] = /^\/drive\/v3\/files\/([^/]+)$/.exec(path) ?? [];
		const file = files.find((one) => one.id === id);
		if (!file) return refused(404, `File not found: ${id}.`, 'NOT_FOUND');
		const { name = file.name, mimeType = file.type } = json(call) as Record<string, string>;
		Object.assign(file, { name, type: mimeType });
		const link = `https://drive.google.com/file/d/${id}/view`;
		return { body: { kind: 'drive#file', id, name, mimeType, webViewLink: link } };
	}

	function sheets(call: Call): Answer {
		const rest = decodeURIComponent(call.path.replace(/^\/v4\/spreadsheets\/[^/:]+/, ''));
		if (rest === '') {
			const gridProperties = { rowCount: 1000, columnCount: 26 };
			const properties = { sheetId: 0, title: 'Sheet1', index: 0, gridProperties };
			return { body: { sheets: [{ properties }] } };
		}
		if (rest === '/values:batchUpdate') {
			const { data } = json(call) as { data: Array<{ range: string; values: unknown[][] }> };
			for (const { range, values } of data) write(range, values);
			return { body: { totalUpdatedCells: data.length } };
		}
		if (rest.startsWith('/values/') && call.method === 'GET') {
			const [, first, last] = /!(\d+):(\d+)$/.exec(rest) ?? [];
			return { body: { range: rest, values: first ? rows.slice(+first - 1, +last) : rows } };
		}
		if (/^\/values\/.*:append$/.test(rest)) {
			rows.push(...(json(call) as { values: string[][] }).values);
			return { body: { updates: { updatedRows: 1 } } };
		}
		if (rest.startsWith('/values/') && call.method === 'PUT') {
			const [, range] = /^\/values\/(.*)$/.exec(rest)!;
			write(range, (json(call) as { values: unknown[][] }).values);
			return { body: { updatedCells: 1 } };
		}
		return refused(404, `Not found: ${rest}`, 'NOT_FOUND');
	}

	/** `range`: of one cell, or from one on. */
	function write(range: string, values: unknown[][]): void {
		const [, letters, number] = /!([A-Z]+)(\d+)/.exec(range) ?? [];
		const row = letters ? Number(number) - 1 : Number(/!(\d+)/.exec(range)?.[1] ?? 1) - 1;
		const column = letters
			? [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
			: 0;
		for (const [down, cells] of values.entries())
			for (const [right, cell] of cells.entries()) {
				const target = (rows[row + down] ??= []);
				target[column + right] = String(cell);
			}
	}

	function begin(call: Call): Answer {
		if (call.query.get('uploadType') === 'resumable') {
			const id = `session-${uploads.size}`;
			const { name = '' } = json(call) as { name?: string };
			const type = String(call.headers['x-upload-content-type'] ?? '');
			if (!type) return refused(400, 'X-Upload-Content-Type is missing');
			uploads.set(id, { name, type, size: 0, bytes: Buffer.alloc(0) });
			return { headers: { location: `https://www.googleapis.com/upload/session/${id}` } };
		}
		const [, boundary] = /boundary=(.+)$/.exec(String(call.headers['content-type'])) ?? [];
		const parts = call.body.toString('latin1').split(`--${boundary}`).slice(1, -1);
		const [about, data] = parts.map((part) => {
			const end = part.indexOf('\r\n\r\n');
			const type = /content-type: *([^\r\n]+)/i.exec(part.slice(0, end))?.[1] ?? '';
			return { type, bytes: Buffer.from(part.slice(end + 4, -2), 'latin1') };
		});
		const { name } = JSON.parse(about.bytes.toString()) as { name: string };
		return store(name, data.type, data.bytes);
	}

	function upload(call: Call): Answer {
		const session = uploads.get(call.path.split('/').at(-1)!)!;
		session.bytes = Buffer.concat([session.bytes, call.body]);
		const [, size] = /\/(\d+)$/.exec(String(call.headers['content-range'])) ?? [];
		if (session.bytes.length < Number(size)) return { status: 308 };
		return store(session.name, session.type, session.bytes);
	}

	function store(name: string, type: string, bytes: Buffer): Answer {
		if (refusals > 0) {
			refusals -= 1;
			return refused(403, "The user's Drive storage quota has been exceeded.", 'PERMISSION_DENIED');
		}
		if (!name) return refused(400, 'A name is required');
		if (bytes.length === 0) return refused(400, 'The file is empty');
		const id = `file-${files.length}`;
		files.push({ id, name, type, bytes });
		return { body: { kind: 'drive#file', id, name, mimeType: type } };
	}

	const json = ({ body }: Call): unknown => JSON.parse(body.toString() || '{}');

	return {
		...(await serve(answer)),
		rows,
		files,
		/** Lets Drive take no more files, so many times. */
		refuse: (times: number) => void (refusals = times),
	};
}
