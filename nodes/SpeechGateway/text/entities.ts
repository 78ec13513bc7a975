import { decodeHTMLStrict } from '../libraries/entities';

/**
 * Resolves HTML's character references (`&eacute;`, `&#233;`). Without a semicolon they are text, as in `AT&T` or an
 * address.
 */
export const decoded = (text: string): string => decodeHTMLStrict(text);
