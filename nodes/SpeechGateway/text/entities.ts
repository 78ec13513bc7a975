import { decodeHTMLStrict } from '../libraries/entities';

/** Resolves character references; those without a semicolon are text. */
export const decoded = (text: string): string => decodeHTMLStrict(text);
