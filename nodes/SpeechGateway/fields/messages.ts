import type { IDataObject } from 'n8n-workflow';
import { InputError } from '../core/errors';
import { keysOf } from '../core/json';
import { choice, requiredText } from './checks';
import { type Field, panelField, refuseLiterals } from './field';
import { type Choices, rowsOf, shownChoices } from './kinds';

const ROLES: Choices<'system' | 'user' | 'assistant'> = {
	system: { name: 'System', description: 'How the model should behave' },
	user: { name: 'User', description: 'What you say to the model' },
	assistant: { name: 'Assistant', description: 'What the model said before' },
};

/** The conversation, as the gateway takes it. */
export const messagesField: Field<IDataObject[]> = refuseLiterals(
	panelField(
		{
			displayName: 'Messages',
			name: 'messages',
			type: 'fixedCollection',
			typeOptions: { multipleValues: true, sortable: true },
			placeholder: 'Add Message',
			default: { values: [{ role: 'user', content: '' }] },
			description: 'The conversation so far, oldest message first',
			options: [
				{
					displayName: 'Message',
					name: 'values',
					values: [
						{
							displayName: 'Role',
							name: 'role',
							type: 'options',
							default: 'user',
							description: 'Who says this',
							options: shownChoices(ROLES),
						},
						{
							displayName: 'Content',
							name: 'content',
							type: 'string',
							typeOptions: { rows: 2 },
							default: '',
							placeholder: 'e.g. Summarize this text in one sentence: …',
							description: 'The text of the message',
						},
					],
				},
			],
		},
		(given, label) => {
			const rows = rowsOf(given) ?? [];
			if (rows.length === 0)
				throw new InputError(`"${label}" is empty: at least one message is needed`);
			return rows.map(({ role, content }, index) => ({
				role: choice(role, `Role of message ${index + 1}`, keysOf(ROLES)),
				content: requiredText(content, `Content of message ${index + 1}`),
			}));
		},
		{},
	),
);
