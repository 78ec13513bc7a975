import { besideOption, type Field, type InputOf, optional } from './field';
import { choiceField, type Choices, textOption } from './kinds';
import type { RequestedFormat } from '../audio';
import { isBlankCell } from './checks';

const FORMAT_CHOICES: Choices<RequestedFormat> = {
	mp3: { name: 'MP3', description: 'Small files that play everywhere' },
	wav: { name: 'WAV', description: 'Uncompressed, for editing (about 3 MB per minute)' },
	opus: { name: 'Opus', description: 'Smallest files, for the web and voice messages (Ogg)' },
	pcm: {
		name: 'PCM',
		description:
			'Raw samples for further processing (24 kHz, 16-bit, mono, little endian); most players cannot open them',
	},
};
const DEFAULT_FORMAT = 'mp3';

/** A format in any case, or Ogg, in which Opus comes; nothing is the usual one. */
function formatMeant(value: unknown): unknown {
	if (isBlankCell(value)) return DEFAULT_FORMAT;
	const word = String(value).trim().toLowerCase();
	if (word === 'ogg') return 'opus';
	return word in FORMAT_CHOICES ? word : value;
}

/** The format of the audio that is asked for. What the gateway sends may be another; files are labelled by their content. */
export const responseFormatField = (description: string): Field<RequestedFormat> =>
	choiceField<RequestedFormat>({
		displayName: 'Audio Format',
		name: 'responseFormat',
		default: DEFAULT_FORMAT,
		description,
		choices: FORMAT_CHOICES,
		meant: formatMeant,
	});

/** The name of the file that the node makes; the extension follows its content. */
export const fileNameOption = (placeholder: string) =>
	optional(
		textOption({
			displayName: 'File Name',
			name: 'fileName',
			default: '',
			placeholder,
			description: 'Name of the file, with or without its extension',
		}),
	);

/** Where the file goes. */
export const fileFields = {
	binaryPropertyName: besideOption(
		'fileName',
		textOption({
			displayName: 'Output Binary Field',
			name: 'binaryPropertyName',
			default: 'data',
			description: 'The name of the output binary field to put the file in',
		}),
	),
	fileName: fileNameOption('e.g. chapter-1'),
};

/** The values of `fileFields`. `fileName` is as the user wrote it; `withExtension` makes a safe name of it. */
export type FileValues = InputOf<typeof fileFields>;
