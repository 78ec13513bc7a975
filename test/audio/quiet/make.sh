#!/bin/sh
# Makes the files beside this script: sound between noise that swells and dies away, in all modes of Opus and kinds of MP3
# frames. Needs ffmpeg with libmp3lame and libopus (5.1 was used).
set -eu
cd "$(dirname "$0")"
# Noise from -96 dB up and down again; in its middle, a tone.
sound() { # seconds
	side="abs(t-$1/2)"
	noise="(2*random(0)-1)*0.00002*exp(8*(1-2*$side/$1))"
	printf '%s' "aevalsrc='$noise+if(lt($side,0.05),0.2*sin(1400*t)+0.1*sin(7000*t))':s=48000:d=$1"
}
encode() { # name seconds options...
	name=$1 seconds=$2
	shift 2
	ffmpeg -nostdin -hide_banner -v error -y -fflags +bitexact -f lavfi -i "$(sound "$seconds")" -bitexact "$@" "$name"
}
opus() { encode "$1.opus" "$2" -c:a libopus -page_duration 200000 $3; }
opus celt-20ms 1.0 '-b:a 48k -application lowdelay'
opus celt-20ms-stereo 0.8 '-b:a 48k -ac 2 -af pan=stereo|c0=c0|c1=0.3*c0 -application lowdelay'
opus celt-10ms 0.8 '-b:a 48k -frame_duration 10 -application lowdelay'
opus celt-5ms 0.6 '-b:a 48k -frame_duration 5 -application lowdelay'
opus celt-2.5ms 0.6 '-b:a 64k -frame_duration 2.5 -application lowdelay'
opus celt-narrow 0.8 '-b:a 16k -cutoff 4000 -application lowdelay'
opus celt-few-bits 1.0 '-b:a 9k -vbr off -frame_duration 20 -application lowdelay'
opus celt-least-bits 0.6 '-b:a 6k -vbr off -frame_duration 5 -application lowdelay'
opus celt-40ms 1.0 '-b:a 48k -frame_duration 40 -application lowdelay'
opus celt-120ms 1.2 '-b:a 48k -frame_duration 120 -application lowdelay'
opus hybrid 1.0 '-b:a 32k -application voip'
opus silk 1.0 '-b:a 12k -application voip'
opus silk-60ms 1.2 '-b:a 12k -application voip -frame_duration 60'
opus silk-40ms 1.0 '-b:a 12k -application voip -frame_duration 40'
opus silk-10ms 0.8 '-b:a 12k -application voip -frame_duration 10'
opus silk-stereo 1.0 '-b:a 20k -ac 2 -af pan=stereo|c0=c0|c1=0.3*c0 -cutoff 6000 -application voip'
mp3() { encode "$1.mp3" "$2" -c:a libmp3lame $3; }
mp3 cbr 1.2 '-ar 24000 -b:a 32k'
mp3 cbr-stereo 1.0 '-ar 44100 -ac 2 -af pan=stereo|c0=c0|c1=0.3*c0 -b:a 96k'
mp3 cbr-stereo-22050 1.0 '-ar 22050 -ac 2 -af pan=stereo|c0=c0|c1=0.3*c0 -b:a 48k'
mp3 vbr 1.2 '-ar 24000 -q:a 5'
mp3 vbr-44100 1.0 '-ar 44100 -q:a 6'
mp3 streamed 1.2 '-ar 24000 -b:a 32k -write_xing 0 -id3v2_version 0'
mp3 8kbit 1.2 '-ar 8000 -b:a 8k'
