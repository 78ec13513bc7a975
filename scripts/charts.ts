/* Charts of the documents, as pages that Chromium draws; they follow the reader's light or dark. */

/** One request of a night, as the option Charges lists it. */
export interface ChargeRow {
	title: string;
	charged: string;
	tokens: number;
}

const STYLE = `
	:root { --ink: #1f2430; --soft: #667085; --page: #fff; --line: #d9dde5; --yes: #d9573f; --no: #2f9e68; --perhaps: #c98a00; }
	@media (prefers-color-scheme: dark) {
		:root { --ink: #e8eaf0; --soft: #9aa3b2; --page: #0d1117; --line: #343b48; --yes: #ff7a5f; --no: #4cc38a; --perhaps: #f0b429; }
	}
	body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.4 system-ui, sans-serif; }
	main { padding: 20px; width: 900px; box-sizing: border-box; }
	.columns { display: grid; grid-template-columns: repeat(3, 1fr); gap: 16px; }
	section { border: 1px solid var(--line); border-top: 5px solid var(--of); border-radius: 6px; padding: 4px 16px 12px; }
	h2 { color: var(--of); font-size: 20px; margin: 8px 0; }
	p { margin: 10px 0 0; }
	small { display: block; color: var(--soft); font-size: 13px; }
	.row { display: grid; grid-template-columns: 150px 1fr 60px; gap: 12px; align-items: center; margin: 8px 0; }
	.bar { display: flex; gap: 2px; height: 22px; }
	.bar i { background: var(--no); border-radius: 2px; }
	.bar i.unknown { background: repeating-linear-gradient(45deg, var(--perhaps) 0 5px, transparent 5px 9px); outline: 1px solid var(--perhaps); outline-offset: -1px; }
	.number { text-align: right; font-variant-numeric: tabular-nums; }
`;
const page = (body: string) =>
	`<!doctype html><meta charset="utf-8"><style>${STYLE}</style><main>${body}</main>`;
const plain = (markdown: string) =>
	markdown
		.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
		.replace(/[*_`]/g, '')
		.replace(/</g, '&lt;')
		.trim();

/** "Was I charged?" at one look: the rows of the table under that heading in a Markdown page, by their second cell. */
export function chargedChart(markdown: string): string {
	const [, table] = /^## Was I charged\?\n([^#]*)/m.exec(markdown)!;
	const rows = [...table.matchAll(/^\|([^|]*)\|([^|]*)\|([^|]*)\|$/gm)].slice(2);
	const column = (charged: string) =>
		`<section style="--of: var(--${charged})"><h2>${charged[0].toUpperCase()}${charged.slice(1)}</h2>${rows
			.filter(([, , of]) => of.trim() === charged)
			.map(([, what, , does]) => `<p>${plain(what)}<small>→ ${plain(does)}</small></p>`)
			.join('')}</section>`;
	return page(`<div class="columns">${['no', 'perhaps', 'yes'].map(column).join('')}</div>`);
}

/** What each row of a night cost, a piece for each request. */
export function chargesChart(rows: ChargeRow[]): string {
	const titles = [...new Set(rows.map(({ title }) => title))].sort();
	const sum = (some: ChargeRow[]) => some.reduce((tokens, row) => tokens + row.tokens, 0);
	const of = (title: string) => rows.filter((row) => row.title === title);
	const most = Math.max(...titles.map((title) => sum(of(title))));
	const number = (tokens: number) => Math.round(tokens).toLocaleString('en');
	const line = (title: string) =>
		`<div class="row"><span>${title}</span><span class="bar">${of(title)
			.map(
				({ charged, tokens }) =>
					`<i class="${charged}" style="width: ${(tokens / most) * 100}%"></i>`,
			)
			.join('')}</span><span class="number">${number(sum(of(title)))}</span></div>`;
	return page(
		`${titles.map(line).join('')}<small>Tokens: ${number(sum(rows))} in ${rows.length} requests. Striped: perhaps charged (Unknown).</small>`,
	);
}
