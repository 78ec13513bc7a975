 
import type { Bench } from './bench';
import { poll, type SavedWorkflow } from './client';
import { sharedN8n } from './shared';

export type FormField = string | File;

export const fileOf = (bytes: Buffer, name: string, type: string): File =>
	new File([new Uint8Array(bytes)], name, { type });

/** Sends a form or a page of it, as a browser does. */
export async function sendForm(url: string, fields: FormField[]): Promise<Response> {
	const form = new FormData();
	for (const [i, field] of fields.entries()) form.append(`field-${i}`, field);
	const response = await fetch(url, { method: 'POST', body: form });
	expect(response.status).toBe(200);
	return response;
}

/** Fills in the form that starts a workflow; waits until the execution ends, or shows another page (`url`). */
export async function runForm({ api }: Bench, workflow: SavedWorkflow, fields: FormField[]) {
	await api.activate(workflow);
	const { webhookId } = workflow.nodes.find(({ type }) => type.endsWith('.formTrigger'))!;
	const response = await sendForm(`${sharedN8n().url}/form/${String(webhookId)}`, fields);
	const { formWaitingUrl: url = '' } = (await response.json()) as { formWaitingUrl?: string };
	const id = await poll(
		'an execution',
		async () => (await api.executions(workflow.id))[0]?.id as string | undefined,
	);
	return { url, id, execution: await api.waitForExecution(id) };
}
