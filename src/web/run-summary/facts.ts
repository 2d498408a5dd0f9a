import { sanitize } from '../../base/sanitize.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import { LOCAL } from '../../scoring/scorer.ts';
import { countText } from '../charts/text.ts';
import { type Html, html, type Part } from '../html.ts';
import { timeText } from './durations.ts';

/** The other facts of the summary. */
export function facts(summary: Summary): Html {
  const { rows, retries, sha256, error } = summary;
  const own: [name: string, text: Part][] = [
    ['Run', summary.run_id],
    ['Exit code', summary.exit_code ?? undefined],
    ['Error', error && sanitize(error.code)],
    ['Started', timeText(summary.started_at)],
    ['Finished', summary.finished_at && timeText(summary.finished_at)],
    ['Processes', summary.attempts],
    ['Resumed at row', summary.resumed_from_row && countText(summary.resumed_from_row)],
    ['Input', sanitize(summary.input)],
    ['Output', sanitize(summary.output)],
    ['Rejects', summary.rejects && sanitize(summary.rejects)],
    ['Report', summary.report && sanitize(summary.report)],
    ['Predicted', summary.prediction && predictedText(summary.prediction)],
    ['Service', summary.service && sanitize(summary.service)],
    ['Rows read', countText(rows.read)],
    ['Blank lines', summary.blank_lines > 0 && countText(summary.blank_lines)],
    ['Batches', countText(summary.batches)],
    ['Requests', summary.service !== LOCAL && countText(summary.calls)],
    ['Retries', countedList(retries)],
    ['Bytes read', countText(summary.bytes_in)],
    ['Bytes written', countText(summary.bytes_out)],
    ['SHA-256 of the input', sha256 && (sha256.input ?? 'not read to its end')],
    ['SHA-256 of the output', sha256?.output],
    ['Options', optionList(summary.options)],
    ['Version of rowcast', summary.version],
  ];
  return html`<section class="card stack" aria-labelledby="facts"><h2 id="facts">Run</h2>
<dl class="facts">${own.map(([name, text]) => text !== undefined && text !== null && text !== false && html`<dt>${name}</dt><dd>${text}</dd>`)}</dl>
</section>`;
}

function predictedText(prediction: NonNullable<Summary['prediction']>): string {
  const list = (names: readonly string[]): string => sanitize(names.join(', '));
  switch (prediction.kind) {
    case 'distribution':
      return `probabilities of ${list(prediction.classes)}`;
    case 'label':
      return 'a label';
    case 'numbers':
      return prediction.names.length === 0 ? 'a number' : `the numbers ${list(prediction.names)}`;
  }
}

const countedList = (counts: Readonly<Record<string, number>>): string | undefined =>
  Object.entries(counts)
    .map(([code, count]) => `${countText(count)} × ${sanitize(code)}`)
    .join(', ') || undefined;

function optionList(options: Summary['options']): Html | undefined {
  const entries = Object.entries(options);
  if (entries.length === 0) return undefined;
  return html`<ul class="plain">${entries.map(([name, value]) => html`<li><code>${sanitize(name)}: ${sanitize(typeof value === 'string' ? value : JSON.stringify(value))}</code></li>`)}</ul>`;
}
