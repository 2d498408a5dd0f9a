import { sentence } from '../errors/sentence.ts';
import { type Html, html, named } from '../html.ts';
import { csrfField } from '../session/csrf.ts';
import type { Session } from '../session/sessions.ts';
import type { RunProgress } from './run-record.ts';

const MAX_SHOWN = 100;

/** The past runs, the newest first. `score-file.js` follows those that are going on. */
export function runTable(runs: readonly RunProgress[], session: Session): Html {
  return html`<div class="table-box" tabindex="0" role="region" aria-labelledby="past"><table>
      <thead><tr><th scope="col">File</th><th scope="col">Report</th><th scope="col">Started</th><th scope="col">Status</th>
        <th scope="col" class="num">Rows</th><th scope="col" class="num">Rejected</th>
        <th scope="col"><span class="visually-hidden">Actions</span></th></tr></thead>
      <tbody>${runs.slice(0, MAX_SHOWN).map(run => row(run, session))}</tbody>
    </table></div>
    ${runs.length > MAX_SHOWN && html`<p class="muted">And ${runs.length - MAX_SHOWN} older ones.</p>`}`;
}

function row(run: RunProgress, session: Session): Html {
  const { id, file, report, by, created_at, status, rows, problem } = run;
  const isOwn = by === session.principal.name;
  return html`<tr id="run-${id}" data-run="${id}" data-status="${status}">
    <th scope="row">${named(file)}${!isOwn && html`<div class="muted small">by ${named(by)}</div>`}</th>
    <td><a href="/predictions/${report}">${report}</a></td>
    <td class="nowrap"><time datetime="${created_at}">${created_at.slice(0, 16).replace('T', ' ')} UTC</time></td>
    <td><span class="badge ${kinds[status]}">${status}</span>${problem !== null && html`<div class="small run-problem">${sentence(problem.message)}</div>`}</td>
    <td class="num" data-rows>${count(rows.read)}</td>
    <td class="num" data-rejected>${count(rows.rejected)}${status === 'finished' && rejectedBy(rows.rejected_by)}</td>
    <td><div class="row">
      ${status === 'finished' && html`<a class="button small" href="/platform/runs/${id}/output">Output<span class="visually-hidden"> of ${named(file)}</span></a>`}
      ${status === 'finished' && rows.rejected > 0 && html`<a class="button small" href="/platform/runs/${id}/rejects">Rejects<span class="visually-hidden"> of ${named(file)}</span></a>`}
      <form method="post" action="/platform/runs/${id}/delete">${csrfField(session)}
        <button class="button small" type="submit">${status === 'running' || status === 'waiting' ? 'Cancel' : 'Delete'}<span class="visually-hidden"> ${named(file)}</span></button></form>
    </div></td>
  </tr>`;
}

const MAX_REASONS = 3;

function rejectedBy(counts: Readonly<Record<string, number>>): Html | false {
  const reasons = Object.entries(counts).sort(([, a], [, b]) => b - a);
  if (reasons.length === 0) return false;
  const more = reasons.length - MAX_REASONS;
  return html`<div class="muted small">${reasons
    .slice(0, MAX_REASONS)
    .map(
      ([code, rows], i) => html`${i > 0 && ', '}${named(code)} ${count(rows)}`,
    )}${more > 0 && html` and ${more} more`}</div>`;
}

const kinds = {
  waiting: 'info',
  running: 'info',
  finished: 'good',
  failed: 'bad',
  interrupted: 'warn',
} as const;

const count = (rows: number): string => rows.toLocaleString('en-US');
