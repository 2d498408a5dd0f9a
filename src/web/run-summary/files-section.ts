import { sanitize, sanitizeLines } from '../../base/sanitize.ts';
import { standingFor } from '../../runs/summary/good-run.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import { countedText, countText } from '../charts/text.ts';
import { type Html, html } from '../html.ts';
import { durationText } from './durations.ts';
import { statusBadge } from './heading.ts';

/** A page with more lines would be slow to open. */
const MAX_FILES = 5000;

/** A line for each of several files. */
export function filesSection({ runs }: Summary): Html | undefined {
  if (runs === null || runs.length === 0) return undefined;
  return html`<section class="card stack" aria-labelledby="files"><h2 id="files">${countedText(runs.length, 'file')}</h2>
${runs.length > MAX_FILES && html`<p class="muted">These are the first ${countText(MAX_FILES)}; the JSON summary has all.</p>`}
<div class="table-box" role="region" tabindex="0" aria-label="Table of files"><table>
<thead><tr><th scope="col">Input</th><th scope="col">Status</th><th scope="col" class="num">Scored</th><th scope="col" class="num">Rejected</th><th scope="col" class="num">Time</th></tr></thead>
<tbody>${firstOf(runs).map(fileRow)}</tbody></table></div>
</section>`;
}

function firstOf(runs: Iterable<Summary>): Summary[] {
  const first: Summary[] = [];
  for (const run of runs) {
    if (first.length === MAX_FILES) break;
    first.push(run);
  }
  return first;
}

function fileRow(run: Summary): Html {
  const { input, output, status, error, rows, seconds } = standingFor(run);
  return html`<tr><th scope="row"><span class="path">${sanitize(input)}</span><br><span class="small muted path">${sanitize(output)}</span></th>
<td>${statusBadge(status)}${error !== null && html`<br><span class="small run-problem">${sanitizeLines(error.message)} [${sanitize(error.code)}]</span>`}</td>
<td class="num">${countText(rows.scored)}</td><td class="num">${countText(rows.rejected)}</td><td class="num">${durationText(seconds)}</td></tr>`;
}
