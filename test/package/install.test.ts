/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import path from 'node:path';
import { missingCompilers } from '../support/n8n/install';

test('what a driver is compiled with is named where it is missing', async () => {
	const empty = path.join(__dirname, 'no-such-folder');
	expect(await missingCompilers({ ...process.env, PATH: empty })).toEqual([
		'Python',
		'make',
		'C++ compiler',
	]);
});
