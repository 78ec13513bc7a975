declare module 'commonmark-spec' {
	/** The examples of the CommonMark specification; `→` stands for a tab. */
	export const tests: Array<{ number: number; section: string; markdown: string; html: string }>;
}
