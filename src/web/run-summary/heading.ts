import { sanitize, sanitizeLines } from '../../base/sanitize.ts';
import type { LastRun } from '../../runs/summary/last-run.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import { LOCAL } from '../../scoring/scorer.ts';
import { type Html, html, named } from '../html.ts';
import { noticeBox } from '../notice.ts';
import { tile } from '../page-in-one-file.ts';
import { countedText, countText, percentOf } from '../texts.ts';
import { unsentTiles } from './reuse/unsent-tiles.ts';

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
