/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzipSync } from 'node:zlib';
import { useVirtualTime, wait } from './clock';

useVirtualTime();

test('virtual time stands still while an answer is decompressed, however long that takes', async () => {
	// More than the threads that node has, for more than the looks at what is at work.
	const others = Array.from({ length: 8 }, async () => {
		await promisify(pbkdf2)('a', 'b', 200_000, 64, 'sha512');
	});
	const answer = promisify(gunzip)(gzipSync('The answer.')).then(String);
	expect(await Promise.race([answer, wait(20_000)])).toBe('The answer.');
	await Promise.all(others);
});
