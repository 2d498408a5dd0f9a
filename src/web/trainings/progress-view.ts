import { sentence } from '../errors/sentence.ts';
import { type Html, html, named } from '../html.ts';
import { csrfField } from '../session/csrf.ts';
import type { Session } from '../session/sessions.ts';
import { STAGES, type TrainingProgress } from './training-state.ts';

/** What a training is doing, or how it ended. `training.js` keeps it up to date. */
export function progressView(training: TrainingProgress, session: Session): Html {
  const { id, column, report, by, status } = training;
  return html`
    <section class="card stack" aria-labelledby="training" data-training="${id}" data-status="${status}">
      <div class="row apart"><h2 id="training">${titles[status]}</h2>${badge(status)}</div>
      ${outcome(training, session)}
      <dl class="facts">
        <dt>Predicts</dt><dd>${named(column)}</dd>
        <dt>Report</dt><dd><code>${report}</code></dd>
        <dt>Started</dt><dd><time datetime="${training.started_at}">${shown(training.started_at)}</time> by ${named(by)}</dd>
        ${training.finished_at !== null && html`<dt>Ended</dt><dd><time datetime="${training.finished_at}">${shown(training.finished_at)}</time></dd>`}
      </dl>
    </section>`;
}

const titles = {
  running: 'Training',
  finished: 'The report is ready',
  failed: 'The training has failed',
  cancelled: 'The training was cancelled',
  interrupted: 'The training was interrupted',
} as const;

function badge(status: TrainingProgress['status']): Html {
  const kind = { running: 'info', finished: 'good', failed: 'bad', cancelled: '', interrupted: 'warn' }[
    status
  ];
  return html`<span class="badge ${kind}">${status}</span>`;
}

function outcome({ id, status, step, stage, report, problem }: TrainingProgress, session: Session): Html {
  switch (status) {
    case 'running':
      return html`
        <progress aria-label="Training" max="${STAGES}" value="${stage}"></progress>
        <p role="status" data-step>${stepText(step)}</p>
        <noscript><p class="muted">Load the page again to see how far it is.</p></noscript>
        <form method="post" action="/platform/trainings/${id}/cancel">${csrfField(session)}
          <button class="button danger" type="submit">Cancel the training</button></form>`;
    case 'finished':
      return html`<p><a class="button primary" href="/predictions/${report}">Open the report</a></p>`;
    case 'failed':
      return html`<div class="notice bad"><p>${sentence(problem?.message ?? '')}</p>${
        problem?.hint !== null && problem?.hint !== undefined && html`<p>${problem.hint}</p>`
      }</div>`;
    case 'cancelled':
      return html`<p>Nothing was written. Choose the column again to start over.</p>`;
    case 'interrupted':
      return html`<p>The service was stopped while it trained, and nothing was written. Start the training again below.</p>`;
  }
}

/** A training in another process tells nothing here. */
const stepText = (step: string | null): string =>
  step === null ? 'Running in another process of the service.' : sentence(step);

/** In UTC, because the server does not know where its reader is. */
const shown = (time: string): string => `${time.slice(0, 16).replace('T', ' ')} UTC`;
