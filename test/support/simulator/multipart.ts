export interface FilePart {
	filename: string;
	contentType: string;
	size: number;
}

/** Reads a multipart/form-data body (RFC 7578): fields as strings, files by name, size and hash. Throws on a malformed one. */
export function parseMultipart(body: Buffer, contentType: string) {
	const boundary = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
	if (!boundary) throw new Error('multipart without boundary');
	const delimiter = Buffer.from(`\r\n--${boundary[1] ?? boundary[2]}`);
	const whole = Buffer.concat([Buffer.from('\r\n'), body]);
	const fields: Record<string, string | FilePart> = {};

	let at = whole.indexOf(delimiter);
	for (;;) {
		if (at < 0) throw new Error('multipart without closing boundary');
		const start = at + delimiter.length;
		if (whole.toString('latin1', start, start + 2) === '--') return fields;
		const next = whole.indexOf(delimiter, start);
		const blank = whole.indexOf('\r\n\r\n', start);
		if (next < 0 || blank < 0 || blank > next) throw new Error('malformed multipart part');
		const head = whole.toString('utf8', start, blank);
		const content = whole.subarray(blank + 4, next);
		const name = /[;\s]name="([^"]*)"/i.exec(head)?.[1];
		if (name === undefined) throw new Error('multipart part without name');
		const filename = /[;\s]filename="([^"]*)"/i.exec(head)?.[1];
		fields[name] =
			filename === undefined
				? content.toString('utf8')
				: {
						filename,
						contentType: /^content-type:\s*(.+)$/im.exec(head)?.[1].trim() ?? '',
						size: content.length,
					};
		at = next;
	}
}
