import type { IDataObject } from 'n8n-workflow';
import { ownFieldOf, ownIn } from '../core/ownField';
import type { NodeCall } from '../engine/nodeCall';
import { InputError } from '../core/errors';
import { unsetOf } from '../fields/field';
import { idIn } from '../core/json';
import { handedOutUnknown, unknownIn } from '../engine/history';
import { Parameters, typedOption } from '../fields/parameters';
import { readSettings, settings } from '../fields/settings';
import type { Accounts } from '../gateway/account';
import { failed } from './failed';
import {
	askedKey,
	beginningOfInput,
	type Failed,
	operationName,
	type Operation,
} from '../requests/operation';
import type { ItemSettings } from '../requests/itemTurns';
import type { ItemLedger } from '../requests/itemLedger';
import { type LastingMemory, MOST_KEYS } from '../requests/lasting';
import type { Run } from '../requests/session';
import { quoted } from '../tasks/task';

/** An item that could be read, or why it could not. */
export type ReadItem = Input | Failed;

/** Undefined for an item that is done. */
export type Inputs = Array<ReadItem | undefined>;

/** The item in a list, or an empty list if it could not be read. */
export const readable = (input: ReadItem | undefined): Input[] =>
	input && 'parameters' in input ? [input] : [];

/** One item, read and planned. */
export interface Input {
	parameters: object;
	/** See `Work.plan`. */
	plan: unknown;
	settings: ItemSettings;
	/** Why no more of it is sent, although it is paid for in part. */
	refused?: Error;
	/** The settings were changed after the item was paid for in part; the paid ones hold. */
	changed?: boolean;
}

/** Reads and checks the parameters of all items that are not done; nothing is sent. Ends early when the run is cancelled. */
export async function readAll(
	nodeCall: NodeCall,
	operation: Operation,
	ledgers: ItemLedger[],
	lasting: LastingMemory,
	accounts: Accounts,
): Promise<Inputs> {
	const inputs: Inputs = [];
	for (const [index, ledger] of ledgers.entries()) {
		await nodeCall.giveWay();
		if (nodeCall.isCancelled) return inputs;
		const otherOperation = paidForOther(operation, ledger);
		if (otherOperation) inputs.push(failed(otherOperation, ledger));
		else if (ledger.result) inputs.push(undefined);
		else if (ledger.refused) inputs.push({ failed: ledger.refused });
		else inputs.push(await readOne(nodeCall, operation, index, ledger));
	}
	if (operation.billed) refuseReturned(nodeCall, operation, inputs, ledgers);
	if (operation.billed && operation.waits) refuseWaiting(nodeCall, operation, inputs);
	await refuseKeys(nodeCall, inputs, ledgers, lasting, accounts);
	return inputs;
}

/** Checks all items together, once their voices are looked up. Throws InputError, which holds for each of them. */
export function checkTogether(
	operation: Operation,
	inputs: Input[],
	ledgers: ItemLedger[],
	run: Run,
): void {
	if (!operation.checkAll || inputs.length === 0) return;
	const { nodeCall, lasting } = run;
	if (typedOption(nodeCall, 'maxEstimatedTokens') !== undefined) lasting.countSpending();
	// Otherwise, the estimate of an item that is paid for in part covers all of it.
	const counted = operation.estimatesRest ? [] : ledgers;
	const again = counted.reduce((sum, ledger) => sum + ledger.tokens, 0);
	const all = inputs.map(({ parameters: input, plan }) => ({ input, plan }));
	operation.checkAll(all, Math.max(0, lasting.spent - again), run);
}

/**
 * Reads one item. What an earlier attempt has paid for takes precedence over the present parameters. If the node's settings
 * are the same as then, the parameters are not read at all: an expression that makes another text each time (`$now`) is no
 * correction.
 */
export async function readOne(
	nodeCall: NodeCall,
	operation: Operation,
	index: number,
	ledger?: ItemLedger,
): Promise<ReadItem> {
	const parameters = new Parameters(nodeCall, index);
	const planned = (input: object) => ({
		parameters: input,
		plan: operation.plan?.(input, ledger?.voices),
	});
	const paid = ledger?.paidFor?.parameters;
	try {
		const input = paid && ledger?.isUnchanged ? paid : await operation.read(parameters);
		const own = readSettings(parameters);
		if (!paid || !ledger) return { ...planned(input), settings: own };
		const used = operation.retryWith?.(paid, input, ledger) ?? paid;
		ledger.finishWith(used);
		const changed = askedKey(operation, used) !== askedKey(operation, input);
		return { ...planned(used), settings: own, changed };
	} catch (error) {
		if (!paid || !ledger) return failed(error, ledger);
		const used = operation.retryWith?.(paid, paid, ledger) ?? paid;
		return { ...planned(used), settings: unsetOf(settings), changed: true };
	}
}

/**
 * Refuses items that come back from the branch Unknown to be sent again, unless Settle has found that they were not
 * charged.
 */
function refuseReturned(
	nodeCall: NodeCall,
	operation: Operation,
	inputs: Inputs,
	ledgers: ItemLedger[],
): void {
	const field = ownFieldOf(operation.resource);
	let handedOut: Set<unknown> | undefined;
	for (const [index, input] of inputs.entries()) {
		// In a retry, a row may be missing.
		const unknown = unknownIn(nodeCall.items[index] ?? {}, field);
		const open = unknown.filter(({ charged }) => charged !== 'no');
		if (open.length === 0 || ledgers[index].maybeCharged) continue;
		for (const { parameters, plan } of readable(input)) {
			const all = (handedOut ??= handedOutUnknown(nodeCall.context, field));
			const { input: asked } = operation.describe?.(parameters, plan) ?? {};
			const isSame = ({ inputHash, input: said }: IDataObject) =>
				all.has(inputHash) && said === beginningOfInput(asked);
			if (!open.some(isSame)) continue;
			inputs[index] = failed(
				new InputError(
					'This item has left the node on "Unknown" before in this execution: it may have been charged',
					'Look it up with Account → Settle, and lead it back only if "charged" is "no" then. Nothing was sent for it now.',
				),
			);
		}
	}
}

/**
 * Refuses items that a node like this one has handed out on Waiting: their job or video is paid for and still being made. An
 * item that has lost what the node said of it asks for a new one.
 */
function refuseWaiting(nodeCall: NodeCall, { resource }: Operation, inputs: Inputs): void {
	const field = ownFieldOf(resource);
	const kind = resource === 'video' ? 'video' : 'job';
	for (const [index, input] of inputs.entries()) {
		const said = ownIn(nodeCall.items[index]?.json ?? {}, field);
		if (said?.waitedSeconds === undefined) continue;
		const id = idIn(said, 'id');
		if (id === undefined || readable(input).length === 0) continue;
		const { failed: words } = failed(
			new InputError(
				`This item has left a node on "Waiting": its ${kind} "${quoted(id)}" is paid for and being made`,
				`Fetch it with the operation "Wait" and this ID, which is free. To have a new one made and charged, remove the field "${field}". Nothing was sent for this item.`,
			),
		);
		inputs[index] = { failed: { ...words, details: { jobId: id } } };
	}
}

/**
 * Refuses an item whose "Send Once Key" an earlier item of the input has, and an item that brings one key too many for the
 * execution. An item that is already paid for in part goes on.
 */
async function refuseKeys(
	nodeCall: NodeCall,
	inputs: Inputs,
	ledgers: ItemLedger[],
	lasting: LastingMemory,
	accounts: Accounts,
): Promise<void> {
	const owners = new Map<string, number>();
	for (const [index, input] of inputs.entries()) {
		await nodeCall.giveWay();
		if (input && 'failed' in input) continue;
		const { keyRecorded, maybeCharged } = ledgers[index];
		// An item that is done has not been read again, but still owns its key.
		const key = input
			? await ownKey(accounts, index, input.settings.sendOnceKey)
			: await keyOfDone(nodeCall, accounts, index);
		if (key === undefined) continue;
		if (input) inputs[index] = { ...input, settings: { ...input.settings, sendOnceKey: key } };
		const owner = owners.get(key);
		owners.set(key, owner ?? index);
		const isGivenAgain = input?.settings.whenSentBefore === 'again';
		if (owner !== undefined && !maybeCharged && !isGivenAgain)
			inputs[index] = failed(
				new InputError(
					`"Send Once Key" is "${key.split('\n')[0].slice(0, 80)}", as it is for item ${owner + 1}`,
					'Use something that is different for each item, such as a row ID. Nothing was sent for this item.',
				),
			);
		else if (!maybeCharged && !keyRecorded && !lasting.bring(key))
			inputs[index] = failed(
				new InputError(
					`One execution may have ${MOST_KEYS.toLocaleString('en')} different values of "Send Once Key"; this item is beyond that`,
					'n8n would forget the oldest of them. Run the other rows in another execution. Nothing was sent for this item.',
				),
			);
	}
}

/** Where the credential may differ by item, a key is its account's: two customers may have the same row numbers. */
async function ownKey(
	accounts: Accounts,
	index: number,
	key?: string,
): Promise<string | undefined> {
	if (key === undefined || (await accounts.isSame())) return key;
	const account = await accounts.of(index).catch(() => undefined);
	return account ? `${key}\n${account.name}` : key;
}

/** The key of an item that is done; undefined if it has none, or none that can be read. */
export async function keyOfDone(
	nodeCall: NodeCall,
	accounts: Accounts,
	index: number,
): Promise<string | undefined> {
	try {
		if (typedOption(nodeCall, 'sendOnceKey') === undefined) return undefined;
		const key = settings.sendOnceKey.read(new Parameters(nodeCall, index));
		return await ownKey(accounts, index, key);
	} catch {
		return undefined;
	}
}

/** The error of an item that was paid for with another operation than the node's present one. */
export function paidForOther(operation: Operation, ledger: ItemLedger): InputError | undefined {
	const paid = ledger.paidFor?.operation;
	if (paid === undefined || paid === operationName(operation)) return undefined;
	return new InputError(
		`An earlier attempt has paid for "${paid}" for this item, but the node is now set to "${operationName(operation)}"`,
		'Change the node back to retry this execution, or start a new one. Nothing was sent.',
	);
}
