/**
 * The record of parts that a file carries, so that they can be cut out of it again: a text in ASCII that other programs pass
 * over. In MP3 it is an ID3 frame for private use, in Opus a comment, in WAV a chunk of its own.
 */

export const RECORD_OWNER = 'n8n-nodes-speech-gateway';
export const RECORD_COMMENT = 'SPEECH_GATEWAY_PARTS';
export const RECORD_CHUNK = 'sgPt';
