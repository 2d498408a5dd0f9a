import { person } from '../elements/person.ts';
import { timeOf } from '../elements/times.ts';
import { sentence } from '../errors/sentence.ts';
import { type Html, html, named } from '../html.ts';
import { csrfField } from '../session/csrf.ts';
import type { Session } from '../session/sessions.ts';
import { STAGES, type TrainingProgress } from '../training-state.ts';

/** What a training is doing, or how it ended. `training.js` keeps it up to date. */
export function progressView(training: TrainingProgress, session: Session): Html {
  const { id, column, report, by, status } = training;
  return html`
    <section class="card stack" aria-labelledby="training" data-training="${id}" data-status="${status}">
      <div class="row apart"><h2 id="training">${titles[status]}</h2>${badge(status)}</div>
      ${outcome(training)}
      <dl class="facts">
        <dt>Predicts</dt><dd>${named(column)}</dd>
        <dt>Report</dt><dd><code>${report}</code></dd>
        <dt>Started</dt><dd>${timeOf(training.started_at)} by ${person(by)}</dd>
        ${training.finished_at !== null && html`<dt>Ended</dt><dd>${timeOf(training.finished_at)}</dd>`}
      </dl>
      ${
        status === 'running' &&
        html`<form method="post" action="/platform/trainings/${id}/cancel">${csrfField(session)}
        <button class="button danger" type="submit">Cancel the training</button></form>`
      }
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

function outcome({ status, step, stage, report, problem, data }: TrainingProgress): Html {
  switch (status) {
    case 'running':
      return html`
        <progress aria-label="Training" max="${STAGES}" value="${stage}"></progress>
        <p role="status" data-step>${stepText(step)}</p>
        <noscript><p class="muted">Load the page again to see how far it is.</p></noscript>`;
    case 'finished':
      return html`<p class="row"><a class="button primary" href="/predictions/${report}">Open the report</a>
        <a class="button" href="/data/${data.id}/predict">Predict another column</a></p>`;
    case 'failed':
      return html`<div class="notice bad"><p>${sentence(problem?.message ?? '')}</p>${
        problem?.hint !== null && problem?.hint !== undefined && html`<p>${problem.hint}</p>`
      }</div>`;
    case 'cancelled':
      return html`<p>No report was written. Start over below, if you like.</p>`;
    case 'interrupted':
      return html`<p>The service was stopped before the training had ended. If the report is not there, start it again below.</p>`;
  }
}

/** A training in another process tells nothing here. */
const stepText = (step: string | null): string =>
  step === null ? 'Running in another process of the service.' : sentence(step);
