import { createHash } from 'crypto';

/**
 * Names an account of a gateway without telling its key: the first 16 hex digits of the SHA-256 of root (the address without
 * `/v1`) and key (trimmed).
 */
export const accountName = (key: string, root: string): string =>
	createHash('sha256').update(`${root}\n${key}`).digest('hex').slice(0, 16);
