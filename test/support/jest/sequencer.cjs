const { default: Sequencer } = require('@jest/test-sequencer');

/** What takes minutes: jest knows how long a file takes only where it has run before, and goes by its size elsewhere. */
const LONGEST = [
	...['browser/editor', 'n8n/ownN8n', 'n8n/people', 'n8n/dev'],
	...['engine/model/stories', 'engine/requests/hostile', 'audio/wholeEnds', 'package/tarball'],
	...['text/hostile', 'engine/model/returns', 'package/demo'],
];

/** jest's order, but the longest begin first, in the order above, and the other workers run the rest beside them. */
module.exports = class extends Sequencer {
	sort(tests) {
		const rank = ({ path }) => {
			const place = LONGEST.findIndex((name) => path.includes(`/test/${name}`));
			return place < 0 ? LONGEST.length : place;
		};
		return super.sort(tests).sort((a, b) => rank(a) - rank(b));
	}
};
