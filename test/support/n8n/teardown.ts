import { running } from './setup';

/** jest's globalTeardown: ends the shared n8n. */
export default async function teardown(): Promise<void> {
	await running.n8n?.stop();
}
