import { createHash } from 'node:crypto';
import { sanitize } from '../../base/sanitize.ts';
import { standingFor } from '../../runs/summary/good-run.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import type { TimelinePoint } from '../../runs/summary/timeline.ts';
import { assetText } from '../assets.ts';
import { type Html, html } from '../html.ts';
import { columnsSection } from './columns-section.ts';
import { facts } from './facts.ts';
import { filesSection } from './files-section.ts';
import { heading, notices } from './heading.ts';
import { rejectsSection } from './rejects-section.ts';
import { classesSection } from './scores-section.ts';
import { timelineSection } from './timeline-section.ts';

/**
 * The summary of a run as a page in one file, which needs no network and runs no scripts.
 *
 * @param points what this process of the run did over time
 */
export function summaryPage(written: Summary, points: readonly TimelinePoint[]): string {
  const summary = standingFor(written);
  const style = ['style.css', 'charts.css', 'run-summary.css']
    .map(name => assetText(name as 'style.css'))
    .join('\n');
  return page({
    title: `${sanitize(summary.input)} · rowcast`,
    style,
    content: html`${heading(summary)}
${notices(summary)}
${timelineSection(summary, points)}
${rejectsSection(summary)}
${columnsSection(summary)}
${classesSection(summary)}
${filesSection(summary)}
${facts(summary)}`,
  });
}

/** The style is the only part that is not escaped: it is ours, and the policy of the page allows no other. */
function page({ title, style, content }: { title: string; style: string; content: Html }): string {
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
