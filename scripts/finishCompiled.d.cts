/** Compiled code as it is packed. */
export function finishCompiled(code: string): string;
