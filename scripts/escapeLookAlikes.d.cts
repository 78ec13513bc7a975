/** Writes Greek, Cyrillic and zero-width characters in compiled code as escapes. */
export function escapeLookAlikes(code: string): string;
