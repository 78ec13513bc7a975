/**
 * Loaded into n8n (`NODE_OPTIONS=--require profiler.cjs`) where its CPU is profiled: the first SIGUSR2 starts the profile, the
 * second writes it to the file named in PROFILE_FILE.
 */
const { Session } = require('node:inspector');
const { writeFileSync, renameSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

const file = process.env.PROFILE_FILE;
if (isMainThread && file) {
	const session = new Session();
	session.connect();
	session.post('Profiler.enable');
	let isOn = false;
	process.on('SIGUSR2', () => {
		isOn = !isOn;
		if (isOn) return session.post('Profiler.start');
		session.post('Profiler.stop', (_, { profile }) => {
			writeFileSync(`${file}.new`, JSON.stringify(profile));
			renameSync(`${file}.new`, file);
		});
	});
}
