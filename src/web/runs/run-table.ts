import { confirmButton } from '../elements/confirm.ts';
import { pageLinks, pageOf } from '../elements/pages.ts';
import { person } from '../elements/person.ts';
import { timeInColumn } from '../elements/times.ts';
import { sentence } from '../errors/sentence.ts';
import { type Html, html, named } from '../html.ts';
import type { Session } from '../session/sessions.ts';
import type { StoredProgress } from './stored-run.ts';

/** The past runs, the newest first. `score-file.js` follows those that are going on. */
export function runTable(
  runs: readonly StoredProgress[],
  { session, page }: { session: Session; page: string | undefined },
): Html {
  const listed = pageOf(runs, page);
  return html`<div class="table-box" tabindex="0" role="region" aria-labelledby="past"><table>
      <thead><tr><th scope="col">File</th><th scope="col">Status</th><th scope="col"><span class="visually-hidden">Actions</span></th><th scope="col" class="wide-only">Report</th><th scope="col" class="wide-only">Started (UTC)</th>
        <th scope="col" class="num">Rows</th><th scope="col" class="num">Rejected</th></tr></thead>
      <tbody>${listed.shown.map(run => row(run, session))}</tbody>
    </table></div>
    ${pageLinks(listed, { list: 'runs', anchor: 'past' })}`;
}

function row(run: StoredProgress, session: Session): Html {
  const { id, file, report, by, created_at, status, rows, problem } = run;
  const isOwn = by === session.principal.name;
  return html`<tr id="run-${id}" data-run="${id}" data-status="${status}">
    <th scope="row">${named(file)}${!isOwn && html`<div class="muted small">by ${person(by)}</div>`}</th>
    <td><span class="badge ${kinds[status]}">${status}</span>${problem !== null && html`<div class="small run-problem">${sentence(problem.message)}</div>`}</td>
    <td><div class="row actions">
      ${status === 'finished' && html`<a class="button small" href="/platform/runs/${id}/output">Output<span class="visually-hidden"> of ${named(file)}</span></a>`}
      ${status === 'finished' && rows.rejected > 0 && html`<a class="button small" href="/platform/runs/${id}/rejects">Rejects<span class="visually-hidden"> of ${named(file)}</span></a>`}
      ${removal(run, session)}
    </div></td>
    <td class="wide-only"><a href="/predictions/${report}">${report}</a></td>
    <td class="wide-only">${timeInColumn(created_at)}</td>
    <td class="num" data-rows>${count(rows.read)}</td>
    <td class="num" data-rejected>${count(rows.rejected)}${status === 'finished' && rejectedBy(rows.rejected_by)}</td>
  </tr>`;
}

/** The button that cancels or deletes a run, after a question. */
function removal({ id, file, status }: StoredProgress, session: Session): Html {
  const isUnderWay = status === 'running' || status === 'waiting';
  const name = named(file);
  return confirmButton({
    id: `remove-${id}`,
    label: isUnderWay ? 'Cancel' : 'Delete',
    about: name,
    session,
    ...(isUnderWay
      ? {
          title: ['Cancel the scoring of ', name, '?'],
          text: 'The rows that were scored so far are deleted.',
          submit: 'Cancel the scoring',
          dismiss: 'Go on',
        }
      : {
          title: ['Delete the run of ', name, '?'],
          text: 'Its output and its rejects are removed from the service.',
          submit: 'Delete the run',
        }),
    action: `/platform/runs/${id}/delete`,
  });
}

const MAX_REASONS = 3;

function rejectedBy(counts: Readonly<Record<string, number>>): Html | false {
  const reasons = Object.entries(counts).sort(([, a], [, b]) => b - a);
  if (reasons.length === 0) return false;
  const more = reasons.length - MAX_REASONS;
  return html`<div class="muted small">${reasons
    .slice(0, MAX_REASONS)
    .map(
      ([code, rows], i) => html`${i > 0 && ', '}${named(code.replaceAll('_', ' '))}: ${count(rows)}`,
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
