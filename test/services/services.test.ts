/* Each service that was run, played from what it answered: what a person gets for each thing done to it. */
import { useVirtualTime } from '../support/clock';
import { outcomeOf, SPOKEN } from './cases';
import { RECORDED } from './service';
import { type CaseName, type Cell, type Service, SERVICES } from './table';

useVirtualTime();

const services = Object.entries<Service>(SERVICES);
const SECONDS_PER_CHARACTER = 60 / 850;

const playedCells = ({ cells }: Service) =>
	Object.entries(cells).filter((entry): entry is [CaseName, Cell] => 'branch' in entry[1]);

describe.each(services)('%s', (name, service) => {
	test.each(playedCells(service))('%s', async (one, { branch, says, format }) => {
		const outcome = await outcomeOf(name, service, one);
		expect(outcome.branch).toBe(branch);
		expect(outcome.says.slice(0, says === '' ? undefined : says.length)).toBe(says);
		const spoken = SPOKEN[one];
		if (!spoken || branch !== 'Success') return;
		expect(outcome.files).toHaveLength(spoken.texts.length);
		for (const [index, file] of outcome.files.entries()) {
			expect(file.format).toBe(format ?? spoken.extension);
			const expected = spoken.texts[index].length * SECONDS_PER_CHARACTER;
			expect(Math.abs(file.seconds - expected)).toBeLessThan(0.01 * expected + 0.1);
		}
	});
});

test('the rows are those of the services in the table, and say nothing of the machine they were run on', () => {
	expect([...new Set(RECORDED.map(({ service }) => service))].sort()).toEqual(
		services.map(([name]) => name).sort(),
	);
	for (const row of RECORDED)
		expect(JSON.stringify(row)).not.toMatch(/localhost|127\.0|\/(?:home|root|tmp|work|usr)\//);
});
