/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { EXAMPLES as FOLDER } from '../support/n8n/examples';
import type { WorkflowJson } from '../support/n8n/client';

const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));

type Node = WorkflowJson['nodes'][number];

/** On n8n's canvas; agents are wider. */
const NODE_SIZE = 96;
const AGENT_WIDTH = 256;
/** What stands below a node: its name and its operation; of one that is deactivated, "(Deactivated)" in between. */
const LABEL_HEIGHT = 48;
const DEACTIVATED_LABEL_HEIGHT = 72;

/** What a node or note covers on the canvas. */
function areaOf({ type, position: [left, top], parameters, disabled }: Node) {
	const { width, height } = type.endsWith('.stickyNote')
		? (parameters as { width: number; height: number })
		: {
				width: type.endsWith('.agent') ? AGENT_WIDTH : NODE_SIZE,
				height: NODE_SIZE + (disabled ? DEACTIVATED_LABEL_HEIGHT : LABEL_HEIGHT),
			};
	return { left, top, right: left + width, bottom: top + height };
}

function overlap(one: Node, other: Node): boolean {
	const [a, b] = [areaOf(one), areaOf(other)];
	return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

test.each(files)('%s: nothing covers anything else on the canvas', (file) => {
	const { nodes } = JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8')) as WorkflowJson;
	const covered = nodes.flatMap((node, index) =>
		nodes
			.slice(index + 1)
			.filter((other) => overlap(node, other))
			.map((other) => `${node.name} and ${other.name}`),
	);
	expect(covered).toEqual([]);
});
