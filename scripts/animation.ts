/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { run } from '../test/support/n8n/steps';

/** As long as it takes to see where the pointer is before it clicks. */
const BEFORE_CLICK_SECONDS = 0.7;
/** n8n's editor takes over what is typed a moment later. */
const TAKEN_OVER_MS = 1000;
/** A screenshot has no pointer, so the page gets one. */
const POINTER = 'pointer-of-the-animation';

/** Frames of a page, each shown for some seconds, that become an animated picture. */
export class Animation {
	private readonly frames: string[] = [];

	private constructor(
		private readonly page: Page,
		private readonly folder: string,
	) {}

	/** Of the page that is open: another address would lose the pointer. */
	static async begin(page: Page): Promise<Animation> {
		await page.evaluate((id) => {
			const pointer = document.body.appendChild(document.createElement('div'));
			pointer.id = id;
			pointer.style.cssText =
				'position:fixed;z-index:2147483647;pointer-events:none;left:50%;top:50%;width:22px;height:22px;margin:-11px;border-radius:50%;background:#ff6d5a99;border:2px solid #ff6d5a';
		}, POINTER);
		return new Animation(page, await mkdtemp(path.join(tmpdir(), 'animation-')));
	}

	/** Adds the page as it looks now. */
	async show(seconds: number): Promise<void> {
		const file = path.join(this.folder, `${this.frames.length}.png`);
		await this.page.screenshot({ path: file, animations: 'disabled', caret: 'initial' });
		this.frames.push(`file '${file}'\nduration ${seconds}`);
	}

	/** Shows the pointer on its way and clicks. */
	async click(target: Locator): Promise<void> {
		await target.hover();
		const { x, y, width, height } = (await target.boundingBox())!;
		await this.page.evaluate(
			([id, left, top]) => {
				const pointer = document.getElementById(String(id))!;
				pointer.style.left = `${left}px`;
				pointer.style.top = `${top}px`;
			},
			[POINTER, x + width / 2, y + height / 2],
		);
		await this.show(BEFORE_CLICK_SECONDS);
		await target.click();
	}

	/** Types into what has the focus, two letters a frame. */
	async type(text: string): Promise<void> {
		for (const letters of text.match(/..?/g) ?? []) {
			await this.page.keyboard.type(letters);
			await this.show(0.1);
		}
		await this.page.waitForTimeout(TAKEN_OVER_MS);
	}

	/** Writes the animation as WebP, with ffmpeg. */
	async save(file: string): Promise<void> {
		const list = path.join(this.folder, 'frames.txt');
		// ffmpeg ignores the last duration unless a file follows.
		const last = this.frames.at(-1)!.split('\n')[0];
		await writeFile(list, [...this.frames, last].join('\n'));
		const input = ['-f', 'concat', '-safe', '0', '-i', list, '-fps_mode', 'vfr'];
		const output = ['-c:v', 'libwebp_anim', '-quality', '75', '-loop', '0', file];
		await run('ffmpeg', ['-y', '-loglevel', 'error', ...input, ...output]);
		await rm(this.folder, { recursive: true });
	}
}
