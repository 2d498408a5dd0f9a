import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { counted, countOf } from '../../base/number-text.ts';
import { reportIds } from '../../models/store/report-store.ts';
import { accepted, confirmButton, pageOf, person, separatorField, timeInColumn } from '../elements.ts';
import { flag, type Html, html, named } from '../html.ts';
import { sendPage } from '../page.ts';
import { sessionOf } from '../session/require-session.ts';
import type { Session } from '../session/sessions.ts';
import { num, tableBox, unseen } from '../table.ts';
import { sentence } from '../texts.ts';
import type { RunContext } from './runs.ts';
import { maySee, type StoredProgress } from './stored-run.ts';

const query = z.object({
  report: z.string().optional().catch(undefined),
  run: z.string().optional().catch(undefined),
  /** The page of past runs. */
  runs: z.string().optional().catch(undefined),
});

/** Sends the page on which files are scored, with the past runs. */
export async function sendRunsPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { home, runs }: RunContext,
): Promise<FastifyReply> {
  const session = sessionOf(request);
  const { principal } = session;
  const { report: wanted, run: latest, runs: page } = query.parse(request.query);
  const mayScore = principal.hasScope('predict');
  const reports = mayScore ? (await reportIds(home)).filter(id => principal.canAccess(id)) : [];
  const visible = (await runs.list()).filter(run => maySee(principal, run));
  const done = visible.find(({ id }) => id === latest);
  return sendPage(request, reply, {
    title: 'Scoring',
    current: '/runs',
    content: html`
      <div class="page-head"><h1>Score a file</h1></div>
      <p class="lead">Every row comes back in the same order, with what the report predicts.
        Rows that cannot be scored are listed apart, with the reason.</p>
      ${mayScore ? (reports.length === 0 ? noReports : scoreForm(reports, wanted)) : noScope}
      ${done && resultOf(done)}
      <div class="stack"><h2 id="past">Past runs</h2>
        ${visible.length === 0 ? noRuns : runTable(visible, { session, page })}</div>`,
    scripts: ['score-file.js'],
  });
}

const noReports = html`<div class="empty"><h2>There is no report to score with</h2>
  <p>Upload data and train one first.</p><p><a class="button primary" href="/">Go to the reports</a></p></div>`;

const noScope = html`<div class="notice info">Your key cannot score files: it needs the scope <code>predict</code>.</div>`;

const noRuns = html`<p class="muted">No file was scored here yet. Runs of the command line are not listed.</p>`;

const scoreForm = (reports: readonly string[], wanted: string | undefined): Html => html`
  <form class="card stack" id="score">
    <div class="field"><label for="report">Report</label>
      <select id="report" name="report">${reports.map(
        id => html`<option value="${id}"${flag('selected', id === wanted)}>${id}</option>`,
      )}</select></div>
    <div class="empty drop compact" data-drop>
      <p class="row"><label for="file" class="button primary">Choose a file</label>
        <input class="visually-hidden" id="file" name="file" type="file" accept="${accepted}" disabled>
        <span class="muted">CSV, JSON lines or Parquet; or drop it here</span></p>
      ${separatorField}
    </div>
    <div class="stack tight" data-progress hidden>
      <p role="status" data-text></p>
      <progress max="1" value="0" aria-label="Upload"></progress>
      <div class="row"><button class="button danger" type="button" data-cancel>Cancel</button></div>
    </div>
    <p class="notice bad" role="alert" data-error hidden></p>
    <noscript><p class="notice warn">Scoring here needs JavaScript. On the command line, use <code>rowcast score</code>.</p></noscript>
  </form>`;

/** The result of the run that has just ended. */
function resultOf({ id, file, status, rows, problem }: StoredProgress): Html {
  if (status === 'running' || status === 'waiting')
    return html`<div class="notice info"><p>${named(file)} is being scored. You can leave this page and come back.</p>${
      status === 'running' &&
      html`<div class="row"><a class="button" href="/platform/runs/${id}/output" download>Download while scoring</a></div>`
    }</div>`;
  if (status !== 'finished')
    return html`<div class="notice bad"><p>${named(file)}: ${sentence(problem?.message ?? 'the run did not finish')}</p>${
      problem?.hint !== undefined && problem?.hint !== null && html`<p>${problem.hint}</p>`
    }</div>`;
  return html`<div class="notice good"><p>${named(file)}: ${countOf(rows.scored, 'row')} scored${
    rows.rejected > 0 && html`, ${counted(rows.rejected)} rejected`
  }.</p><div class="row"><a class="button" href="/platform/runs/${id}/output">Download the output</a>${
    rows.rejected > 0 && html`<a class="button" href="/platform/runs/${id}/rejects">Download the rejects</a>`
  }<a class="button" href="/runs/${id}/evaluation">Evaluate</a></div></div>`;
}

/** The past runs, the newest first. `score-file.js` follows those that are going on. */
function runTable(
  runs: readonly StoredProgress[],
  { session, page }: { session: Session; page: string | undefined },
): Html {
  const { shown, links } = pageOf(runs, page, { list: 'runs', anchor: 'past' });
  const wide = ['Report', 'Started (UTC)'].map(text => ({ text, kind: 'wide-only' }) as const);
  const head = ['File', 'Status', unseen('Actions'), ...wide, num('Rows'), num('Rejected')];
  return html`${tableBox({ labelledBy: 'past', head, rows: shown.map(run => row(run, session)) })}${links}`;
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
      ${status === 'finished' && html`<a class="button small" href="/runs/${id}/evaluation">Evaluate<span class="visually-hidden"> ${named(file)}</span></a>`}
      ${removal(run, session)}
    </div></td>
    <td class="wide-only"><a href="/predictions/${report}">${report}</a></td>
    <td class="wide-only">${timeInColumn(created_at)}</td>
    <td class="num" data-rows>${counted(rows.read)}</td>
    <td class="num" data-rejected>${counted(rows.rejected)}${status === 'finished' && rejectedBy(rows.rejected_by)}</td>
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
          text: 'Its output, its rejects and its evaluation are removed from the service.',
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
      ([code, rows], i) => html`${i > 0 && ', '}${named(code.replaceAll('_', ' '))}: ${counted(rows)}`,
    )}${more > 0 && html` and ${more} more`}</div>`;
}

const kinds = {
  waiting: 'info',
  running: 'info',
  finished: 'good',
  failed: 'bad',
  interrupted: 'warn',
} as const;
