import type { IDataObject } from 'n8n-workflow';
import { sharedN8n } from './shared';

/** A client with a session of its own at the MCP server of an active workflow; returns what calls a tool and gives its text. */
export async function connectMcp(
	path: string,
): Promise<(tool: string, args: IDataObject) => Promise<string>> {
	let session: string | null = null;
	let calls = 0;
	const send = async (method: string, params: IDataObject) => {
		const response = await fetch(`${sharedN8n().url}/mcp/${path}`, {
			method: 'POST',
			headers: {
				'content-type': 'application/json',
				accept: 'application/json, text/event-stream',
				connection: 'close',
				...(session && { 'mcp-session-id': session }),
			},
			body: JSON.stringify({ jsonrpc: '2.0', id: ++calls, method, params }),
		});
		session ??= response.headers.get('mcp-session-id');
		const [, json] = /^data: (.*)$/m.exec(await response.text()) ?? [];
		return JSON.parse(json) as { result: { content: Array<{ text: string }> } };
	};
	await send('initialize', {
		protocolVersion: '2025-03-26',
		capabilities: {},
		clientInfo: { name: 'test', version: '1' },
	});
	return async (tool, args) => {
		const { result } = await send('tools/call', { name: tool, arguments: args });
		return result.content[0].text;
	};
}
