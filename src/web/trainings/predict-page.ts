import type { FastifyReply } from 'fastify';
import * as z from 'zod';
import type { Profile } from '../data/profile/profile-shape.ts';
import { timeOf } from '../elements/times.ts';
import { type Html, html, named } from '../html.ts';
import { sendPage } from '../page.ts';
import { sessionOf } from '../session/require-session.ts';
import type { TrainingState } from '../training-state.ts';
import { type ChoiceOptions, choice } from './choice.ts';
import { progressView } from './progress-view.ts';
import type { Trainings } from './trainings.ts';

export interface PredictPageOptions extends ChoiceOptions {
  reply: FastifyReply;
  trainings: Trainings;
  /** The id of the data. */
  id: string;
}

const query = z.object({
  column: z.coerce.number().int().min(0).optional().catch(undefined),
  training: z.string().optional().catch(undefined),
});

/** Sends the Predict page: the columns, or the chosen one and the form, or the training. */
export async function sendPredictPage(options: PredictPageOptions): Promise<FastifyReply> {
  const { request, reply, context, trainings, id, sent } = options;
  const { column, training } = query.parse(request.query);
  const watched = training === undefined ? undefined : (await trainings.watch(training))?.value;
  const shown = watched?.data.id === id ? watched : undefined;
  const meta = await context.data.meta(id);
  const profile = await context.data.profile(id);
  const current = await trainings.current();
  const chosen = sent?.column ?? column ?? againOf(shown, profile);
  const isDone = shown?.status === 'running' || shown?.status === 'finished';
  const content = html`
    <div class="page-head"><h1>Predict with ${named(meta.name)}</h1></div>
    ${shown && progressView(shown, sessionOf(request))}
    ${current !== undefined && current.id !== shown?.id && busyNotice(current)}
    ${!isDone && (await choice(options, { meta, profile, index: chosen, isBusy: current !== undefined }))}`;
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
