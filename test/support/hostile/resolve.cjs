/* tsx would take `SpeechGateway.node` for `SpeechGateway.node.json`, the node's codex. */
const Module = require('node:module');
const resolve = Module._resolveFilename;
Module._resolveFilename = (request, ...rest) =>
	resolve.call(Module, /SpeechGateway\.node$/.test(request) ? `${request}.ts` : request, ...rest);
