/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
/**
 * What real gateways answered when they were run: new-api and one-api built from their sources, LiteLLM and Portkey as
 * published. Status, type, code and the shape of each body are theirs; of the words only those that tell one answer from
 * another, the rest are ours. The panics are from their sources; streams and audio after a break are as they were noted.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

export interface RecordedAnswer {
	gateway: 'new-api' | 'one-api' | 'litellm' | 'portkey';
	/** Method and path, as `POST /v1/audio/speech`. */
	request: string;
	/** What brought it about, as `upstream 502, page` or `key used up`. */
	case: string;
	status: number;
	/** Lower-case names; `<id>` stands for an id that is new in each answer, as in the body; `<audio>` for its type. */
	headers: Record<string, string>;
	/** A string is sent as it is, anything else as JSON. `<half>` and `<whole>` stand for bytes of the audio asked for. */
	body: unknown;
	/** By the gateway's own books; `hold`: what it had set aside is kept. Absent: it was run without books. */
	charged?: 'no' | 'yes' | 'twice' | 'hold';
}

export const RECORDED: RecordedAnswer[] = readFileSync(
	path.join(__dirname, 'answers.jsonl'),
	'utf8',
)
	.trim()
	.split('\n')
	.map((line) => JSON.parse(line) as RecordedAnswer);

/** The body as it went over the wire, before any compression. */
export const wireBody = ({ body }: RecordedAnswer): string =>
	typeof body === 'string' ? body : JSON.stringify(body);
