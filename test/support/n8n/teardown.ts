import { running } from './setup';

/** jest's globalTeardown: ends every shared n8n. */
export default async function teardown(): Promise<void> {
	await Promise.all((running.n8n ?? []).map(async (n8n) => await n8n.stop()));
}
