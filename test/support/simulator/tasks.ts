/** What speech jobs and videos have in common: they belong to an account and are ready after a time. */
import * as clock from '../clock';
import { countCharacters } from './billing';
import { ApiError } from './errors';
import type { Call } from './exchange';
import { WORK_SECONDS_PER_CHARACTER } from './speech';
import type { Task } from './world';

/** The share of its time that a task waits before work on it begins. */
const WAITING_SHARE = 0.2;

export function newTask({ world, account, fault }: Call, id: string, model: string, input: string) {
	const { jobSeconds, timeScale } = world.options;
	const seconds =
		fault.jobSeconds ??
		(typeof jobSeconds === 'function' ? jobSeconds({ id, input }) : jobSeconds) ??
		countCharacters(input) * WORK_SECONDS_PER_CHARACTER * timeScale;
	const failure = { code: 'generation_failed', message: 'The upstream provider gave up' };
	const createdAt = clock.now();
	const task: Task = {
		account: account.account,
		id,
		model,
		input,
		createdAt,
		readyAt: createdAt + seconds * 1000,
		failure: fault.jobFails === true ? failure : fault.jobFails || undefined,
		contentBytes: fault.contentBytes,
	};
	return task;
}

export function phaseOf({ createdAt, readyAt, failure }: Task) {
	const now = clock.now();
	if (now >= readyAt) return failure ? 'failed' : 'completed';
	return now < createdAt + (readyAt - createdAt) * WAITING_SHARE ? 'waiting' : 'working';
}

/** The task of the path's id. Throws 404 for an unknown one, 403 for that of another account. */
export function ownTask<T extends Task>(tasks: T[], { id, account }: Call): T {
	const task = tasks.find((candidate) => candidate.id === id);
	if (!task) throw new ApiError(404, `No such task: ${id}`, 'task_not_found');
	if (task.account !== account.account) {
		throw new ApiError(403, 'This key may not access the task', 'task_forbidden');
	}
	return task;
}

/** Throws 409 while there is nothing to download. */
export function requireCompleted(task: Task): void {
	const phase = phaseOf(task);
	if (phase === 'completed') return;
	throw new ApiError(409, `The task is not completed (${phase})`, 'not_completed');
}
