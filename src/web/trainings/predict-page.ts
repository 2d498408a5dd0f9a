import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import type { PlatformContext } from '../context.ts';
import type { Profile } from '../data/profile/profile-shape.ts';
import { person, timeOf } from '../elements.ts';
import { type Html, html, named } from '../html.ts';
import { sendPage } from '../page.ts';
import { csrfField } from '../session/csrf.ts';
import { sessionOf } from '../session/require-session.ts';
import type { Session } from '../session/sessions.ts';
import { sentence } from '../texts.ts';
import { STAGES, type TrainingProgress, type TrainingState } from '../training-store.ts';
import { choice, type RefusedForm } from './choice.ts';
import type { Leaks } from './leaks.ts';
import type { Trainings } from './trainings.ts';

const query = z.object({
  column: z.coerce.number().int().min(0).optional().catch(undefined),
  training: z.string().optional().catch(undefined),
});

/**
 * Sends the Predict page: the columns, or the chosen one and the form, or the training.
 *
 * @param id of the data
 */
export async function sendPredictPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { context, trainings, leaks }: { context: PlatformContext; trainings: Trainings; leaks: Leaks },
  id: string,
  sent?: RefusedForm,
): Promise<FastifyReply> {
  const session = sessionOf(request);
  const { column, training } = query.parse(request.query);
  const watched = training === undefined ? undefined : (await trainings.watch(training))?.value;
  const shown = watched?.data.id === id ? watched : undefined;
  const meta = await context.data.meta(id);
  const profile = await context.data.profile(id);
  const current = await trainings.current();
  const index = sent?.column ?? column ?? againOf(shown, profile);
  const isDone = shown?.status === 'running' || shown?.status === 'finished';
  const content = html`
    <div class="page-head"><h1>Predict with ${named(meta.name)}</h1></div>
    ${shown && progressView(shown, session)}
    ${current !== undefined && current.id !== shown?.id && busyNotice(current)}
    ${!isDone && (await choice(context, leaks, session, { meta, profile, index, isBusy: current !== undefined, sent }))}`;
  return sendPage(request, reply, {
    title: `Predict with ${meta.name}`,
    current: '/',
    trail: [
      { href: '/', text: 'Reports' },
      { href: `/data/${id}`, text: meta.name },
    ],
    content,
    scripts: ['training.js'],
  });
}

/** The column of a training that has ended without a report, to start it again. */
function againOf(training: TrainingState | undefined, { columns }: Profile): number | undefined {
  const index = columns.findIndex(({ name }) => name === training?.column);
  return index === -1 ? undefined : index;
}

const busyNotice = ({ id, data, report, column, started_at }: TrainingState): Html =>
  html`<div class="notice info"><p>A training of the report <code>${report}</code>, which predicts ${named(column)}, has been
    running since ${timeOf(started_at)}. Only one runs at a time.
    <a href="/data/${data.id}/predict?training=${id}">Look at it</a></p></div>`;

/** What a training is doing, or how it ended. `training.js` keeps it up to date. */
function progressView(training: TrainingProgress, session: Session): Html {
  const { id, column, report, by, status } = training;
  return html`
    <section class="card stack" aria-labelledby="training" data-training="${id}" data-status="${status}">
      <div class="row apart"><h2 id="training">${titles[status]}</h2><span class="badge ${badges[status]}">${status}</span></div>
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

const badges = {
  running: 'info',
  finished: 'good',
  failed: 'bad',
  cancelled: '',
  interrupted: 'warn',
} as const;

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
