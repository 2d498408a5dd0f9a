import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { reportId } from '../../contract/schemas.ts';
import { hasReport } from '../../reports/report-store.ts';
import type { PlatformContext } from '../context.ts';
import type { DataMeta } from '../data/data-files.ts';
import type { Profile } from '../data/profile/profile-shape.ts';
import { type Html, html, named } from '../html.ts';
import { sendPage } from '../page.ts';
import { sessionOf } from '../session/require-session.ts';
import { classTable } from './class-table.ts';
import { hintsOf } from './column-hints.ts';
import { columnList } from './column-list.ts';
import type { TrainingBody } from './order.ts';
import { progressView } from './progress-view.ts';
import { targetOf } from './target.ts';
import { defaultValues, type FormValues, trainingForm } from './training-form.ts';
import type { TrainingState } from './training-state.ts';
import type { Trainings } from './trainings.ts';

export interface PredictPageOptions {
  request: FastifyRequest;
  reply: FastifyReply;
  context: PlatformContext;
  trainings: Trainings;
  /** The id of the data. */
  id: string;
  /** A form that was refused, and why. */
  sent?: TrainingBody & { error: string };
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
  const chosen = sent?.column ?? column;
  const isUnderWay = shown?.status === 'running';
  const content = html`
    <div class="page-head"><h1>Predict with ${named(meta.name)}</h1></div>
    ${shown && progressView(shown, sessionOf(request))}
    ${current !== undefined && current.id !== shown?.id && busyNotice(current)}
    ${!isUnderWay && (await choice(options, meta, profile, chosen, current !== undefined))}`;
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

async function choice(
  { request, context, sent }: PredictPageOptions,
  meta: DataMeta,
  profile: Profile,
  index: number | undefined,
  isBusy: boolean,
): Promise<Html> {
  const column = index === undefined ? undefined : profile.columns[index];
  if (index === undefined || column === undefined) return columnList(meta.id, profile);
  const target = targetOf(column, profile);
  const back = html`<a href="/data/${meta.id}/predict">Choose another column</a>`;
  if (target.kind === 'refused')
    return html`<div class="notice bad"><p>${named(column.name)} cannot be predicted: ${target.problem.message}.</p>
      ${target.problem.hint !== null && html`<p>${target.problem.hint}</p>`}<p>${back}</p></div>`;
  const values: FormValues =
    sent === undefined
      ? defaultValues(meta, column.name, target)
      : { ...sent, replace: sent.replace !== undefined };
  const form = trainingForm({
    session: sessionOf(request),
    meta,
    column: index,
    isNumeric: column.type === 'numerical',
    target,
    values,
    exists: reportId.safeParse(values.report).success && (await hasReport(context.home, values.report)),
    error: sent?.error,
    isBusy,
  });
  const labelled = profile.rows - column.missing;
  return html`
    <section class="stack" aria-labelledby="chosen">
      <div class="row apart"><h2 id="chosen">Predict ${named(column.name)}</h2>${back}</div>
      ${column.missing > 0 && html`<p class="muted">${column.missing.toLocaleString('en-US')} of ${profile.rows.toLocaleString('en-US')} rows have no value in it and are left out.</p>`}
      <div class="grid">
        <div class="stack">
          ${target.kind === 'classes' ? classTable(target, labelled) : amounts}
          ${hintsOf(index, profile, meta.settings)}
        </div>
        ${form}
      </div>
    </section>`;
}

const amounts = html`<p>The column holds amounts. A report predicts classes, so the amounts are divided into ranges, and the report predicts
    which of them a row falls into.</p>`;

const busyNotice = ({ id, data, report, column, started_at }: TrainingState): Html =>
  html`<div class="notice info"><p>A training of the report <code>${report}</code>, which predicts ${named(column)}, has been
    running since <time datetime="${started_at}">${started_at.slice(0, 16).replace('T', ' ')} UTC</time>. Only one runs at a time.
    <a href="/data/${data.id}/predict?training=${id}">Look at it</a></p></div>`;
