/** Parts cut out of a joined Opus file, each as an Ogg stream of its own. */
import type { CutSlices, Emit, Place } from '../joiner';
import { headerOf, headWith, packetsInPage, PageWriter } from './join';
import { OggOpusReader, type OpusInfo } from './reader';

export const cutOpus: CutSlices<OpusInfo> = (whole, places, emit) => {
	let packets = 0;
	let slice = 0;
	let writer: PageWriter | undefined;
	const emitPage: Emit = (bytes) => emit(slice, bytes);
	return new OggOpusReader((packet, samples) => {
		const place = places.at(slice);
		const number = packets++;
		if (!place || number < place.from) return;
		if (!writer) {
			headerOf(headWith(whole.head, place.delay ?? 0)).forEach(emitPage);
			writer = new PageWriter(packetsInPage(whole), place.to - place.from);
		}
		writer.add(packet, samples, emitPage);
		if (packets < place.to) return;
		writer.flush(emitPage);
		writer = undefined;
		slice++;
	});
};

export const asOpusSlice = (info: OpusInfo, { padding = 0, isExcerpt }: Place): OpusInfo => ({
	...info,
	endSample: info.all.samples - padding,
	isExcerpt,
});
