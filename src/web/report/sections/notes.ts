import { sanitizeLines } from '../../../sanitize.ts';
import { type Html, html } from '../../html.ts';
import type { ReportView } from '../report-view.ts';

/** Of the notes of a table of 10,000 columns, most say the same. */
const MAX_NOTES = 200;

/** What training left out or could not do. */
export function notes({ report }: ReportView): Html | undefined {
  const given = report.notes.filter(note => note !== '');
  if (given.length === 0) return undefined;
  return html`<section class="card" aria-labelledby="notes"><h2 id="notes">Notes of the training</h2>
<ul class="notes">${given.slice(0, MAX_NOTES).map(note => html`<li>${sanitizeLines(note)}</li>`)}</ul>
${given.length > MAX_NOTES && html`<p class="muted">And ${given.length - MAX_NOTES} more; “rowcast report --json” prints all.</p>`}</section>`;
}
