/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- test code runs outside n8n */
import { spawnSync } from 'node:child_process';
import {
	chmodSync,
	cpSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { REPOSITORY } from '../support/n8n/install';

/** A machine of its own for `.ci/run`: npm does what the test says, and all of Debian's packages are there. */
let machine: string;
beforeEach(() => {
	machine = mkdtempSync(path.join(tmpdir(), 'ci-'));
	mkdirSync(path.join(machine, 'bin'));
	cpSync(path.join(REPOSITORY, '.ci'), path.join(machine, '.ci'), { recursive: true });
});
afterEach(() => rmSync(machine, { recursive: true, force: true }));

function program(name: string, script: string): void {
	const file = path.join(machine, 'bin', name);
	writeFileSync(file, `#!/bin/bash\n${script}\n`);
	chmodSync(file, 0o755);
}

const PASSED = 'echo "3 passed, 0 failed"';
const FAILED = 'echo "2 passed, 4 failed"';
const NEWS = 'echo "npm notice New version of npm" >&2';

/** Runs `.ci/run` where each suite, named by its flag, is a shell command; a suite that is not given passes. */
function ciRun(suites: Record<string, string>, env: NodeJS.ProcessEnv = {}) {
	const cases = Object.entries(suites).map(([name, command]) => `'${name}') ${command} ;;`);
	program('dpkg', 'exit 0');
	program('npm', `case "$3" in ${cases.join(' ')} *) ${PASSED} ;; esac`);
	const { status, stdout } = spawnSync(path.join(machine, '.ci/run'), {
		encoding: 'utf8',
		env: { ...process.env, ...env, PATH: `${path.join(machine, 'bin')}:${process.env.PATH}` },
	});
	return { status, lastLine: stdout.trimEnd().split('\n').at(-1) };
}

test.each([
	['pass', {}, 0, '9 passed, 0 failed'],
	['print nothing and exit with 0', { '--compat': 'exit 0' }, 1, '6 passed, 1 failed'],
	['ran nothing', { '--compat': 'echo "0 passed, 0 failed"' }, 1, '6 passed, 1 failed'],
	['cannot be started', { '--compat': 'exit 1' }, 1, '6 passed, 1 failed'],
	['pass and exit with 1', { '--compat': `${PASSED}; exit 1` }, 1, '9 passed, 1 failed'],
	['die after a summary', { '--compat': `${PASSED}; echo Killed` }, 1, '6 passed, 1 failed'],
	['fail and exit with 0', { '': FAILED }, 1, '8 passed, 4 failed'],
	['fail, the second', { '--compat': `${FAILED}; exit 1` }, 1, '8 passed, 4 failed'],
	['fail, the last', { '--queue': `${FAILED}; exit 1` }, 1, '8 passed, 4 failed'],
	['pass, then npm has news', { '--queue': `${PASSED}; ${NEWS}` }, 0, '9 passed, 0 failed'],
])('suites that %s', (_, suites, status, lastLine) => {
	expect(ciRun(suites)).toEqual({ status, lastLine });
});

test('interrupted: what runs is ended, the last line is there, and the run has failed', () => {
	// npm ← timeout ← .ci/run
	const run = '$(ps -o ppid= -p "$PPID")';
	expect(ciRun({ '': `kill -TERM ${run}; exec sleep 1000` })).toEqual({
		status: 1,
		lastLine: '0 passed, 1 failed',
	});
});

test.each([
	['after 50 minutes', 50, 36],
	['when time is up', 100, 0],
])('one deadline for all suites: %s', (_, minutes, left) => {
	const limits = path.join(machine, 'limits');
	program('timeout', `echo "$2" >>${limits}; shift 2; exec "$@"`);
	// bash goes on counting from there.
	expect(ciRun({}, { SECONDS: String(minutes * 60) }).status).toBe(0);
	const given = readFileSync(limits, 'utf8').trim().split('\n').map(Number);
	expect(given).toHaveLength(3);
	expect(Math.min(...given)).toBeGreaterThan(0); // 0 would be for ever
	expect(Math.max(...given)).toBeLessThanOrEqual(left * 60 || 1);
});
