import { createHash } from 'node:crypto';
import { assetText } from './assets.ts';
import { type Html, html } from './html.ts';

/**
 * A page that needs no network and runs no scripts. The style is the only part that is not escaped: it is ours, and the
 * policy of the page allows no other.
 */
export function pageInOneFile({ title, content }: { title: string; content: Html }): string {
  const style = (['style.css', 'charts.css', 'run-summary.css'] as const).map(assetText).join('\n');
  const hash = createHash('sha256').update(style).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  return `${html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>`}
<style>${style}</style>
${html`</head>
<body>
<main class="page run-summary">
${content}
</main>
</body>
</html>`}
`;
}

/** An important number, for the list `tiles`. */
export const tile = (name: string, value: string, note: string | undefined): Html =>
  html`<div class="tile"><dt>${name}</dt><dd><span class="tile-value">${value}</span>${note !== undefined && html` <span class="small muted">${note}</span>`}</dd></div>`;
