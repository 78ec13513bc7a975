/**
 * What the bench compares with: the least node that sends a text for each item through n8n's helper, some at a time, and stores
 * the answers. It keeps no record, checks nothing, and loses what is paid for on any error. n8n loads it as a custom node.
 */
class Floor {
	description = {
		displayName: 'Floor',
		name: 'floor',
		group: ['output'],
		version: 1,
		description: 'The floor of the bench',
		defaults: { name: 'Floor' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'speechGatewayApi', required: true }],
		properties: [
			{ displayName: 'Text', name: 'text', type: 'string', default: '' },
			{ displayName: 'Concurrency', name: 'concurrency', type: 'number', default: 10 },
		],
	};

	async execute() {
		const items = this.getInputData();
		const { baseUrl } = await this.getCredentials('speechGatewayApi');
		const results = [];
		const speak = async (index) => {
			const body = await this.helpers.httpRequestWithAuthentication.call(this, 'speechGatewayApi', {
				method: 'POST',
				url: `${baseUrl}/v1/audio/speech`,
				body: { model: 'fish-speech', input: this.getNodeParameter('text', index) },
				encoding: 'arraybuffer',
			});
			const data = await this.helpers.prepareBinaryData(body, 'speech.mp3', 'audio/mpeg');
			results[index] = { json: { index }, binary: { data }, pairedItem: { item: index } };
		};
		let next = 0;
		const worker = async () => {
			while (next < items.length) await speak(next++);
		};
		await Promise.all(Array.from({ length: this.getNodeParameter('concurrency', 0) }, worker));
		return [results];
	}
}

module.exports = { Floor };
