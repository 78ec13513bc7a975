#!/usr/bin/env bash
# Audio in a format that the node passes on without reading it. Needs ffmpeg.
set -euo pipefail
cd "$(dirname "$0")"
ffmpeg -v error -y -f lavfi -i sine=frequency=500:duration=0.3:sample_rate=24000 -bitexact tone.flac
