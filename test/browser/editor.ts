/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import { chromium, selectors, type Browser, type Locator, type Page } from 'playwright-core';
import type { N8nClient } from '../support/n8n/client';

/** n8n marks what its own tests need with this attribute; classes and texts change more often. */
const TEST_ID = 'data-test-id';

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
/** As root and in containers there is no sandbox; nothing here leaves this machine. */
const FLAGS = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-dev-shm-usage',
	'--disable-background-networking',
	'--autoplay-policy=no-user-gesture-required',
];
/** The first page of an editor that has just started takes long on a busy machine. */
const PATIENCE_MS = 300_000;

/** What no node is called. */
const NO_NODE = 'qqqqqq';

/** Starts the browser that the machine has. */
export const launchBrowser = async (): Promise<Browser> =>
	await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });

export interface EditorOptions {
	url: string;
	/** Of a client that is logged in. */
	session: N8nClient['session'];
	colorScheme?: 'light' | 'dark';
	viewport?: { width: number; height: number };
}

/** n8n's editor in a real browser, driven as a user would. */
export class Editor {
	private constructor(
		private readonly browser: Browser,
		readonly page: Page,
	) {}

	/** Starts a browser that is logged in. */
	static async open({ url, session, colorScheme, viewport }: EditorOptions): Promise<Editor> {
		selectors.setTestIdAttribute(TEST_ID);
		const browser = await launchBrowser();
		const context = await browser.newContext({
			baseURL: url,
			colorScheme,
			viewport: viewport ?? { width: 1440, height: 900 },
		});
		await context.addInitScript(
			`localStorage.setItem('n8n-browserId', ${JSON.stringify(session.browserId)})`,
		);
		await context.addCookies(
			session.cookie.split('; ').map((cookie) => {
				const [name, ...value] = cookie.split('=');
				return { name, value: value.join('='), url };
			}),
		);
		context.setDefaultTimeout(PATIENCE_MS);
		return new Editor(browser, await context.newPage());
	}

	async close(): Promise<void> {
		await this.browser.close();
	}

	/** The elements with n8n's test id. */
	by(id: string): Locator {
		return this.page.getByTestId(id);
	}

	/** An empty workflow. */
	async newWorkflow(): Promise<void> {
		await this.page.goto('/workflow/new');
		await this.by('canvas-plus-button').waitFor();
	}

	async openWorkflow(id: string): Promise<void> {
		await this.page.goto(`/workflow/${id}`);
		await this.node().first().waitFor();
	}

	/** A node on the canvas, or all of them. */
	node(name?: string): Locator {
		return name === undefined
			? this.by('canvas-node')
			: this.page.locator(`[${TEST_ID}=canvas-node][data-node-name="${name}"]`);
	}

	/** Opens a node's panel. */
	async openNode(name: string): Promise<void> {
		await this.node(name).dblclick();
		await this.by('ndv').waitFor();
	}

	async closeNode(): Promise<void> {
		await this.by('ndv-close-button').click();
		await this.by('ndv').waitFor({ state: 'hidden' });
	}

	/** Names of the nodes that the nodes panel finds, and not those of an earlier search. */
	async search(words: string): Promise<Locator> {
		const bar = this.by('node-creator-search-bar');
		const found = this.by('node-creator-item-name');
		await bar.fill(NO_NODE);
		await found.first().waitFor({ state: 'detached' });
		await bar.fill(words);
		await found.first().waitFor();
		return found;
	}

	/** Opens the nodes panel of an empty workflow. */
	async openNodesPanel(): Promise<void> {
		await this.by('canvas-plus-button').click();
		await this.by('node-creator-search-bar').waitFor();
	}

	/** Clicks the plus of a node's input or output, such as `inputs/ai_tool/0`; the nodes panel opens. */
	async addTo(handle: string): Promise<void> {
		const plus = this.page.locator(`[data-handleid="${handle}"] [${TEST_ID}=canvas-handle-plus]`);
		// The canvas may still be moving the node into view.
		await plus.first().dispatchEvent('click');
		await this.by('node-creator-search-bar').waitFor();
	}

	/** Fills in and saves the credential whose form is open. */
	async fillCredential({ apiKey, baseUrl }: { apiKey: string; baseUrl: string }): Promise<void> {
		await this.by('parameter-input-apiKey').locator('input').fill(apiKey);
		await this.by('parameter-input-baseUrl').locator('input').fill(baseUrl);
		await this.by('credential-save-button').click();
	}

	/** Opens a resource locator's list; returns its entries once an expected one is among them. */
	async openList(parameter: string, expected: string): Promise<string[]> {
		await this.by(`resource-locator-${parameter}`).getByTestId('rlc-input').click();
		// Until the list is loaded, n8n shows the entry that is chosen.
		await this.entry(expected).first().waitFor();
		return await this.by('rlc-item').allInnerTexts();
	}

	private entry(text: string): Locator {
		return this.by('rlc-item').filter({ hasText: text });
	}

	/** Picks from a list that is open. */
	async pick(text: string): Promise<void> {
		await this.entry(text).first().click();
	}

	/** Opens the list of options that can be added; returns their names. */
	async openOptions(): Promise<string[]> {
		await this.by('collection-parameter-add').click();
		await this.by('collection-parameter-option').first().waitFor();
		return await this.by('collection-parameter-option').allInnerTexts();
	}

	async fillText(parameter: string, text: string): Promise<void> {
		await this.by(`parameter-input-${parameter}`).locator('textarea').fill(text);
	}

	/** Runs the open node and waits until it has ended well. */
	async executeNode(): Promise<void> {
		await this.by('node-execute-button').click();
		await this.by('node-run-status-success').waitFor();
	}

	/** Plays the first file of the open node's output; returns the length that the browser read, in seconds. */
	async playFirstFile(): Promise<number> {
		await this.by('ndv-view-binary-data').first().click();
		const audio = this.page.locator('audio');
		await audio.waitFor();
		return await audio.evaluate(
			async (element: HTMLAudioElement) =>
				await new Promise<number>((resolve, reject) => {
					for (const target of [element, ...element.querySelectorAll('source')])
						target.addEventListener('error', () =>
							reject(new Error('The browser cannot play this file')),
						);
					element.addEventListener('loadedmetadata', () => resolve(element.duration));
					element.load();
				}),
		);
	}

	/** Imports a workflow from a file into the open workflow. */
	async importFile(file: string): Promise<void> {
		await this.by('workflow-import-input').setInputFiles(file);
		await this.node().first().waitFor();
	}
}
