import { sanitize, sanitizeLines } from '../../base/sanitize.ts';
import type { LabelFigures, ScoreFigures } from '../../runs/drift/compare.ts';
import { ONLY_NUMBER } from '../../runs/drift/figures.ts';
import { standingFor } from '../../runs/summary/good-run.ts';
import type { LastRun } from '../../runs/summary/last-run.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import type { TimelinePoint } from '../../runs/summary/timeline.ts';
import { LOCAL } from '../../scoring/scorer.ts';
import { barChart } from '../charts/bar-chart.ts';
import { type DecileRow, decileChart } from '../charts/decile-chart.ts';
import { type Html, type HtmlPart, html, named } from '../html.ts';
import { noticeBox } from '../notice.ts';
import { pageInOneFile, tile } from '../page-in-one-file.ts';
import { num, tableBox } from '../table.ts';
import { countedText, countText, nameText, percentOf } from '../texts.ts';
import { columnsSection } from './columns-section.ts';
import { unsentTiles } from './reuse/unsent-tiles.ts';
import { countedList, timelineSection } from './timeline-section.ts';

/**
 * The summary of a run as a page in one file, which needs no network and runs no scripts.
 *
 * @param points what this process of the run did over time
 */
export function summaryPage(written: Summary, points: readonly TimelinePoint[]): string {
  const summary = standingFor(written);
  return pageInOneFile({
    title: `${sanitize(summary.input)} · rowcast`,
    content: html`${runHeading(summary)}
${notices(summary)}
${timelineSection(summary, points)}
${rejectsSection(summary)}
${columnsSection(summary)}
${classesSection(summary)}
${predictionsSection(summary)}
${filesSection(summary)}
${facts(summary)}`,
  });
}

/** The other facts of the summary. */
export function facts(summary: Summary): Html {
  const { rows, retries, sha256, error } = summary;
  const own: [name: string, text: HtmlPart][] = [
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

function optionList(options: Summary['options']): Html | undefined {
  const entries = Object.entries(options);
  if (entries.length === 0) return undefined;
  return html`<ul class="plain">${entries.map(([name, value]) => html`<li><code>${sanitize(name)}: ${sanitize(typeof value === 'string' ? value : JSON.stringify(value))}</code></li>`)}</ul>`;
}

/** A page with more lines would be slow to open. */
const MAX_FILES = 5000;

/** A line for each of several files. */
function filesSection({ runs }: Summary): Html | undefined {
  if (runs === null || runs.length === 0) return undefined;
  return html`<section class="card stack" aria-labelledby="files"><h2 id="files">${countedText(runs.length, 'file')}</h2>
${runs.length > MAX_FILES && html`<p class="muted">These are the first ${countText(MAX_FILES)}; the JSON summary has all.</p>`}
${tableBox({
  label: 'Table of files',
  head: ['Input', 'Status', num('Scored'), num('Rejected'), num('Time')],
  rows: firstOf(runs).map(fileRow),
})}
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

/** Why rows were rejected, if any were. */
function rejectsSection({ rows, rejects }: Summary): Html | undefined {
  const reasons = Object.entries(rows.rejected_by).toSorted(([, a], [, b]) => b - a);
  const [worst] = reasons;
  if (worst === undefined) return undefined;
  const share = (count: number): string => percentOf(count / Math.max(1, rows.rejected));
  return html`<section class="card stack" aria-labelledby="rejects"><h2 id="rejects">Rejected rows</h2>
${rejects !== null && html`<p class="muted">They are in <span class="path">${sanitize(rejects)}</span>.</p>`}
${barChart({
  id: 'reasons',
  title: 'Rejects by reason',
  description: `${countedText(rows.rejected, 'row')} were rejected, most of them for ${sanitize(worst[0])}.`,
  most: worst[1],
  bars: reasons.map(([label, value]) => ({ label, value, text: `${countText(value)} (${share(value)})` })),
  numbers: {
    head: ['Reason', 'Rows', 'Share'],
    rows: reasons.map(([code, count]) => [sanitize(code), countText(count), share(count)]),
  },
})}
</section>`;
}

/** Classes that are drawn; the table of the numbers has all. */
const MAX_SHOWN = 40;

/** The distribution of the probabilities of each class. */
function classesSection(summary: Summary): Html | undefined {
  const all = scoreRows(summary, 'probability');
  if (all.length === 0) return undefined;
  const rows = all.length > MAX_SHOWN ? all.toSorted((a, b) => b.mean - a.mean).slice(0, MAX_SHOWN) : all;
  return html`<section class="card stack" aria-labelledby="classes"><h2 id="classes">Classes</h2>
${all.length > MAX_SHOWN && html`<p class="muted">The ${MAX_SHOWN} most probable of ${countText(all.length)} classes.</p>`}
${decileChart({ id: 'deciles', title: 'Probabilities', rows, all })}
</section>`;
}

function scoreRows({ scores, drift, classes }: Summary, kind: ScoreFigures['kind']): DecileRow[] {
  // A summary of several files names the classes only in its scores.
  const names = classes.length > 0 ? classes : Object.keys(scores ?? {});
  return names.flatMap((name): DecileRow[] => {
    const own = scores !== null && Object.hasOwn(scores, name) ? scores[name] : undefined;
    if (own?.kind !== kind) return [];
    const psi = drift !== null && Object.hasOwn(drift.scores, name) ? drift.scores[name]?.psi : undefined;
    return [{ name, mean: own.mean, deciles: own.deciles, note: psiNote(psi) }];
  });
}

const psiNote = (psi: number | null | undefined): string | undefined =>
  psi == null ? undefined : `PSI ${psi.toFixed(2)}`;

/** The distribution of each predicted number, or of the predicted labels. */
function predictionsSection(summary: Summary): Html | undefined {
  const { labels, drift } = summary;
  const charts = scoreRows(summary, 'number')
    .slice(0, MAX_SHOWN)
    .map((row, i) => {
      const title = row.name === ONLY_NUMBER ? 'Predicted numbers' : nameText(row.name);
      return decileChart({ id: `numbers-${i}`, title, rows: [row], all: [row], isNumbers: true });
    });
  if (labels !== null && labels.names.length > 0) charts.push(labelChart(labels, drift?.labels?.psi));
  if (charts.length === 0) return undefined;
  return html`<section class="card stack" aria-labelledby="predictions"><h2 id="predictions">Predictions</h2>
${charts}
</section>`;
}

function labelChart({ names, rows, others }: LabelFigures, psi: number | null | undefined): Html {
  const total = rows.reduce((sum, count) => sum + count, others);
  const all = names.map((name, i) => ({ name, count: rows[i] ?? 0 }));
  if (others > 0) all.push({ name: 'all others', count: others });
  const share = (count: number): string => percentOf(count / total);
  return barChart({
    id: 'labels',
    title: 'Predicted labels',
    description: `The shares of ${countedText(names.length, 'label')}; the most frequent is ${nameText(names[0] ?? '')}.`,
    caption: psiNote(psi),
    most: Math.max(...all.map(({ count }) => count)),
    bars: all
      .slice(0, MAX_SHOWN)
      .map(({ name, count }) => ({ label: name, value: count, text: share(count) })),
    numbers: {
      head: ['Label', 'Rows', 'Share'],
      rows: all.map(({ name, count }) => [nameText(name), countText(count), share(count)]),
    },
  });
}

const badges: Readonly<Record<Summary['status'], string>> = {
  running: 'info',
  finished: 'good',
  skipped: '',
  stopped: 'bad',
  refused: 'bad',
};

/** What was scored, how it ended, and the most important numbers. */
export function runHeading(summary: Summary): Html {
  const { input, output, report, service, status, rows, seconds, rows_per_second: rate } = summary;
  const share = rows.read === 0 ? undefined : `${percentOf(rows.rejected / rows.read)} of the rows read`;
  return html`<div class="page-head"><div><h1>${sanitize(input)}</h1>
<p class="lead">${report !== null && html`Report ${named(report)}${service !== null && service !== LOCAL && html` at ${named(service)}`}, `}output <span class="path">${sanitize(output)}</span></p></div>
${statusBadge(status)}</div>
<dl class="tiles">
${tile('Rows scored', countText(rows.scored), `of ${countedText(rows.read, 'row')} read`)}
${unsentTiles(summary)}
${tile('Rows rejected', countText(rows.rejected), share)}
${tile('Time', durationText(seconds), summary.attempts > 1 ? 'of the last process' : undefined)}
${tile('Rows per second', countText(rate), undefined)}
</dl>`;
}

export const statusBadge = (status: Summary['status']): Html =>
  html`<span class="badge ${badges[status]}">${status}</span>`;

/** Why the run did not finish, and what it warned of. */
export function notices({ error, warnings, status, last }: Summary): Html {
  return html`${error && errorNotice(error)}
${last !== null && noticeBox({ kind: 'info', text: lastText(status, last) })}
${status === 'running' && noticeBox({ kind: 'info', text: 'The run was in progress when this page was written.' })}
${warnings.map(({ message }) => noticeBox({ kind: 'warn', text: html`<strong>Warning:</strong> ${sanitizeLines(message)}` }))}`;
}

/** What is known of the last good run, beside a run that has not finished. */
function lastText(status: Summary['status'], { finished_at, rows }: LastRun): Html {
  const when = timeText(finished_at);
  if (status === 'skipped')
    return html`Nothing was scored now. The rows, columns and predictions are those of the run that finished at ${when}.`;
  return html`The last good run finished at ${when}: ${countedText(rows.read, 'row')} read, ${countText(rows.scored)} scored, ${countText(rows.rejected)} rejected.`;
}

function errorNotice({ code, message, hint, file, line, retryable }: NonNullable<Summary['error']>): Html {
  const position = [file, line].filter(part => part !== null).join(':');
  return noticeBox({
    kind: 'bad',
    text: html`<p><strong>${position !== '' && `${sanitize(position)}: `}${sanitizeLines(message)}</strong> <span class="nowrap">[${sanitize(code)}]</span></p>
${hint !== null && html`<p>${sanitizeLines(hint)}</p>`}${retryable && html`<p>Run the same command again.</p>`}`,
  });
}

/** Seconds for people: `0.2 s`, `12 s`, `3 min 19 s`, `2 h 5 min`. */
export function durationText(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A time of the summary for people, to the second. */
export const timeText = (iso: string): Html =>
  html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`;
