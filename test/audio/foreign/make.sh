#!/usr/bin/env bash
# Audio in containers that the node passes on without reading them. Needs ffmpeg.
set -euo pipefail
cd "$(dirname "$0")"
tone() {
	ffmpeg -v error -y -f lavfi -i sine=frequency=500:duration=0.3:sample_rate=24000 -bitexact "$@"
}
tone tone.flac
tone -c:a aac tone.aac
tone -c:a aac tone.m4a
tone -c:a libopus tone.webm
tone tone.aiff
tone -c:a libvorbis vorbis.ogg
tone -c:a flac -f ogg flac.ogg
