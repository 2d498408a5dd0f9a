import { sanitizeLines } from '../../../base/sanitize.ts';
import { isCandidateNote } from '../../../training/findings/selection-notes.ts';
import { type Html, html } from '../../html.ts';
import type { ReportView } from '../report-view.ts';

/** Maximum number of notes that are shown: most notes about a table of 10,000 columns say the same. */
const MAX_NOTES = 200;

/** What training left out or could not do, and which models it compared. */
export function notes({ report }: ReportView): Html | undefined {
  const given = report.notes.filter(note => note !== '');
  if (given.length === 0) return undefined;
  const compared = given.filter(isCandidateNote);
  const others = given.filter(note => !isCandidateNote(note));
  return html`<section class="card stack" aria-labelledby="notes"><h2 id="notes">Notes of the training</h2>
${others.length > 0 && list(others)}
${compared.length > 0 && html`<details><summary>Models that were compared</summary>${list(compared)}</details>`}</section>`;
}

const list = (notes: readonly string[]): Html =>
  html`<ul class="notes">${notes.slice(0, MAX_NOTES).map(note => html`<li>${sanitizeLines(note)}</li>`)}</ul>
${notes.length > MAX_NOTES && html`<p class="muted">And ${notes.length - MAX_NOTES} more; “rowcast report --json” prints all.</p>`}`;
