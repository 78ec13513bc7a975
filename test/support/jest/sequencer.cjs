const { default: Sequencer } = require('@jest/test-sequencer');

/** What takes minutes: jest knows how long a file takes only where it has run before, and goes by its size elsewhere. */
const LONGEST = [
	...['n8n/ownN8n', 'browser/editor', 'n8n/examples', 'n8n/dev'],
	...[
		'engine/model/stories',
		'engine/model/returns',
		'package/demo',
		'package/tarball',
		'text/hostile',
	],
];

/** jest's order, but the longest begin first, and the other workers run the rest beside them. */
module.exports = class extends Sequencer {
	sort(tests) {
		const isLong = ({ path }) => Number(LONGEST.some((name) => path.includes(`/test/${name}`)));
		return super.sort(tests).sort((a, b) => isLong(b) - isLong(a));
	}
};
