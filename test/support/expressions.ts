import { type IDataObject, type INode, Workflow } from 'n8n-workflow';

/** What n8n makes of an expression of a node's description: in a node with these parameters, with more data beside them. */
export function evaluate(
	expression: string,
	parameters: INode['parameters'] = {},
	data: IDataObject = { $parameter: parameters },
): unknown {
	const node: INode = {
		id: '1',
		name: 'Node',
		type: 'test',
		typeVersion: 1,
		position: [0, 0],
		parameters,
	};
	const unknownType = () => {
		throw new Error('This workflow knows no types of nodes');
	};
	const workflow = new Workflow({
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: {
			getByName: unknownType,
			getByNameAndVersion: () => undefined as never,
			getKnownTypes: () => ({}),
		},
	});
	return workflow.expression.getSimpleParameterValue(node, expression, 'internal', data);
}
