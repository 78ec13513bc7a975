import { accountName } from '../../nodes/SpeechGateway/core/accountName';

test('an account is named by its key and its gateway, with 16 hex digits', () => {
	const name = accountName('sk-one', 'https://a.example');
	expect(name).toMatch(/^[0-9a-f]{16}$/);
	expect(accountName('sk-one', 'https://a.example')).toBe(name);
	const others = [
		accountName('sk-two', 'https://a.example'),
		accountName('sk-one', 'https://b.example'),
		accountName('sk-one', 'https://a.example/gateway'),
	];
	expect(new Set([name, ...others]).size).toBe(4);
});
