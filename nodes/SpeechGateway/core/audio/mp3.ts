/**
 * Plans one MP3 file out of several of one MPEG version, sample rate and channel count: one Xing header (Info when the
 * bitrate is constant) and then the frames of all parts, none left out, none changed. The encoder's delay and padding are
 * cut off by decoders at both ends of the joined file; at the seams they play, as 25 to 75 ms of silence, since frames
 * depend on the ones before them. Pauses are silent frames, rounded to whole frames (24 ms at 24 kHz, 26.1 ms at 44.1 kHz).
 *
 * @throws Error on a mismatch
 */
export function planMp3(infos: Mp3Info[], pauseMilliseconds: number): JoinPlan<Mp3Info> {
	assertSame(infos, 'the sample rate', (info) => info.sampleRate);
	assertSame(infos, 'the number of channels', (info) => info.channels);
	const [first] = infos;
	const template = parseHeader(first.header);
	const silence = silentFrame(first.header);
	const pauseFrames = Math.round(
		(pauseMilliseconds / 1000) * (template.sampleRate / template.samples),
	);

	// A decoder that is told of a delay cuts off its own too, so without the first part's nothing is said.
	const gapless = first.gapless && {
		delay: first.gapless.delay,
		padding: infos[infos.length - 1].gapless?.padding ?? 0,
	};
	const starts: number[] = [];
	const offsets: Array<{ frame: number; byte: number }> = [];
	let frames = 0;
	let dataBytes = 0;
	infos.forEach((info, index) => {
		if (index > 0) {
			frames += pauseFrames;
			dataBytes += pauseFrames * silence.length;
		}
		const silent = cutAtStart(info.gapless) - cutAtStart(gapless);
		starts.push((frames * template.samples + silent) / template.sampleRate);
		offsets.push({ frame: frames, byte: dataBytes });
		frames += info.frames;
		dataBytes += info.dataBytes;
	});
	/** Byte at which a frame of the joined audio begins, as exactly as the seek tables say. */
	const position = (frame: number): number => {
		let index = offsets.length - 1;
		while (offsets[index].frame > frame) index--;
		const info = infos[index];
		const inPart = frame - offsets[index].frame;
		const inPause = Math.max(0, inPart - info.frames);
		return offsets[index].byte + positionInPart(info, inPart - inPause) + inPause * silence.length;
	};

	const bitrate = infos.every((info) => info.bitrate === first.bitrate) ? first.bitrate : 0;
	const header = xingFrame({
		header: first.header,
		name: bitrate > 0 ? 'Info' : 'Xing',
		frames,
		dataBytes,
		gapless,
		position,
	});
	const seekInterval = Math.ceil(frames / MAX_SEEK_POINTS);
	const info: Mp3Info = {
		format: 'mp3',
		seconds: playingTime(frames, template, gapless),
		bytes: header.length + dataBytes,
		dataBytes,
		sampleRate: first.sampleRate,
		channels: first.channels,
		frames,
		header: first.header,
		bitrate,
		seekPositions:
			bitrate > 0
				? []
				: Array.from({ length: Math.ceil(frames / seekInterval) }, (_, index) =>
						position(index * seekInterval),
					),
		seekInterval,
		gapless,
	};
	return {
		info,
		starts,
		createJoiner: () =>
			new Joiner(infos, {
				header: [header],
				createReader: (emit) => new Mp3Reader(emit),
				finishPart: (emit, part) => {
					if (part < infos.length - 1) repeated(silence, pauseFrames).forEach(emit);
				},
			}),
	};
}

/** Byte position of a frame within the audio data of one part. */
function positionInPart(info: Mp3Info, frame: number): number {
	if (info.seekPositions.length === 0) return Math.floor((info.dataBytes * frame) / info.frames);
	const index = Math.min(Math.floor(frame / info.seekInterval), info.seekPositions.length - 1);
	const isLast = index === info.seekPositions.length - 1;
	const from = info.seekPositions[index];
	const to = isLast ? info.dataBytes : info.seekPositions[index + 1];
	const start = index * info.seekInterval;
	const end = isLast ? info.frames : start + info.seekInterval;
	return Math.floor(from + ((to - from) * (frame - start)) / (end - start));
}

