import type { FastifyRequest } from 'fastify';
import { reportId } from '../../base/contract/schemas.ts';
import { partOf } from '../../base/number-text.ts';
import { hasReport } from '../../models/store/report-store.ts';
import type { PlatformContext } from '../context.ts';
import type { DataMeta } from '../data/data-files.ts';
import type { Profile } from '../data/profile/profile-shape.ts';
import { type Html, html, named } from '../html.ts';
import { sessionOf } from '../session/require-session.ts';
import { classTable } from './class-table.ts';
import { hintsOf } from './column-hints.ts';
import { columnList } from './column-list.ts';
import type { Leaks } from './leaks.ts';
import { readingOf, type TrainingBody } from './order.ts';
import { targetOf } from './target.ts';
import { DEFAULT_BINS, DEFAULT_SEED, defaultValues, type FormValues, trainingForm } from './training-form.ts';

export interface ChoiceOptions {
  request: FastifyRequest;
  context: PlatformContext;
  leaks: Leaks;
  /** A form that was refused, and why. */
  sent?: TrainingBody & { error: string };
}

export interface Choice {
  meta: DataMeta;
  profile: Profile;
  /** The index of the chosen column. */
  index: number | undefined;
  /** Whether a training is running. */
  isBusy: boolean;
}

/** The form for the chosen column, or the columns to choose from. */
export async function choice(
  { request, context, leaks, sent }: ChoiceOptions,
  { meta, profile, index, isBusy }: Choice,
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
  const search = {
    ...readingOf(meta, context),
    predict: column.name,
    seed: Number(DEFAULT_SEED),
    ...(target.kind === 'amounts' && { bins: Number(DEFAULT_BINS) }),
  };
  // A training needs the memory, and nothing can be started before it has ended.
  const leaking = isBusy ? [] : await leaks.of(search);
  const labelled = profile.rows - column.missing;
  return html`
    <section class="stack" aria-labelledby="chosen">
      <div class="row apart"><h2 id="chosen">Predict ${named(column.name)}</h2>${back}</div>
      ${column.missing > 0 && html`<p class="muted">${partOf(column.missing, profile.rows, 'row', ['has', 'have'])} no value in it and ${column.missing === 1 ? 'is' : 'are'} left out.</p>`}
      <div class="grid">
        <div class="stack">
          ${target.kind === 'classes' ? classTable(target, labelled) : amounts}
          ${hintsOf(index, profile, meta.settings, leaking)}
        </div>
        ${form}
      </div>
    </section>`;
}

const amounts = html`<p>The column holds amounts. A report predicts classes, so the amounts are divided into ranges, and the report predicts
    which of them a row falls into.</p>`;
