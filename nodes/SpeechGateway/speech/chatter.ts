import { chatterIn } from '../text/lookAlikes';

/** The hint on what a chat model has written around a text. */
export function chatterHints(text: string): string[] {
	const words = chatterIn(text).map((said) => `"${said}"`);
	return words.length === 0
		? []
		: [
				`A chat model seems to have written ${words.join(' and ')} around the text: this is spoken and charged, too. Ask the model for nothing but the text, or remove it before this node.`,
			];
}
