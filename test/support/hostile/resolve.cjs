/* How a process that runs under tsx loads the nodes: as n8n does. */
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const ts = require('typescript');

// tsx would take `SpeechGateway.node` for `SpeechGateway.node.json`, the node's codex.
const resolve = Module._resolveFilename;
Module._resolveFilename = (request, ...rest) =>
	resolve.call(Module, /SpeechGateway\.node$/.test(request) ? `${request}.ts` : request, ...rest);

// tsx would load what a node loads when it runs in a thread of its own, and virtual time takes that for rest.
const load = Module._extensions['.ts'];
Module._extensions['.ts'] = (module, file) => {
	const source = readFileSync(file, 'utf8');
	if (!source.includes('await import(')) return load(module, file);
	const { outputText } = ts.transpileModule(source, {
		fileName: file,
		compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
	});
	return module._compile(outputText, file);
};
