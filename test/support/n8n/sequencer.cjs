const { default: Sequencer } = require('@jest/test-sequencer');

/** Files that wait for minutes for n8n, which wakes up what sleeps in its own time. */
const WAITS = /\/n8n\/(asleep|durable)\.test\.ts$/;

/** jest's order, but what mostly waits begins first, and the other workers run the rest beside it. */
module.exports = class extends Sequencer {
	sort(tests) {
		const waits = ({ path }) => (WAITS.test(path) ? 1 : 0);
		return super.sort(tests).sort((a, b) => waits(b) - waits(a));
	}
};
