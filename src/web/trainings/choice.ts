import { reportId } from '../../base/contract/schemas.ts';
import { counted, partOf } from '../../base/number-text.ts';
import { hasReport } from '../../models/store/report-store.ts';
import type { PlatformContext } from '../context.ts';
import type { DataMeta } from '../data/data-files.ts';
import type { Profile, ProfiledColumn } from '../data/profile/profile-shape.ts';
import { columnTypeOf, type DataSettings } from '../data/settings.ts';
import { type Html, html, named } from '../html.ts';
import type { Session } from '../session/sessions.ts';
import { tableBox } from '../table.ts';
import { percentOf } from '../texts.ts';
import type { Leaks } from './leaks.ts';
import { readingOf, type TrainingBody } from './order.ts';
import { type PredictionTarget, targetOf } from './target.ts';
import {
  DEFAULT_SEED,
  defaultTarget,
  defaultValues,
  type TrainingValues,
  trainingForm,
} from './training-form.ts';

/** A form that was refused, and why. */
export type RefusedForm = TrainingBody & { error: string };

/**
 * The form for the chosen column, or the columns to choose from.
 *
 * @param index of the chosen column
 * @param isBusy whether a training is running
 */
export async function choice(
  context: PlatformContext,
  leaks: Leaks,
  session: Session,
  {
    meta,
    profile,
    index,
    isBusy,
    sent,
  }: {
    meta: DataMeta;
    profile: Profile;
    index: number | undefined;
    isBusy: boolean;
    sent: RefusedForm | undefined;
  },
): Promise<Html> {
  const column = index === undefined ? undefined : profile.columns[index];
  if (index === undefined || column === undefined) return columnList(meta.id, profile);
  const target = targetOf(column, profile);
  const back = html`<a href="/data/${meta.id}/predict">Choose another column</a>`;
  if (target.kind === 'refused')
    return html`<div class="notice bad"><p>${named(column.name)} cannot be predicted: ${target.problem.message}.</p>
      ${target.problem.hint !== null && html`<p>${target.problem.hint}</p>`}<p>${back}</p></div>`;
  const values: TrainingValues =
    sent === undefined
      ? defaultValues(meta, column.name, target)
      : { ...sent, target: sent.target ?? defaultTarget(target), replace: sent.replace !== undefined };
  const form = trainingForm({
    session,
    meta,
    column: index,
    isNumeric: column.type === 'numerical',
    target,
    values,
    exists: reportId.safeParse(values.report).success && (await hasReport(context.home, values.report)),
    error: sent?.error,
    isBusy,
  });
  const search = { ...readingOf(meta, context), predict: column.name, seed: Number(DEFAULT_SEED) };
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

const amounts = html`<p>The column holds amounts, so the report predicts a number. It can also predict which of some ranges a row falls into, with
    a probability for each.</p>`;

const MAX_SHOWN = 20;

/** The classes of the column to predict, with their shares of the rows. */
function classTable(
  { classes, unlisted, notes }: Extract<PredictionTarget, { kind: 'classes' }>,
  rows: number,
): Html {
  const shown = classes.slice(0, MAX_SHOWN);
  const others = classes.length - shown.length + unlisted;
  return html`
    <div class="table-box"><table>
      <caption>Classes</caption>
      <thead><tr><th scope="col">Class</th><th scope="col" class="num">Rows</th><th scope="col" class="num">Share</th>
        <th scope="col"><span class="visually-hidden">As a bar</span></th></tr></thead>
      <tbody>${shown.map(
        ({ name, rows: own }) => html`<tr><th scope="row">${named(name)}</th>
          <td class="num">${counted(own)}</td><td class="num">${percentOf(own / rows)}</td>
          <td>${bar(own / rows)}</td></tr>`,
      )}</tbody>
    </table></div>
    ${others > 0 && html`<p class="muted">${others === 1 ? 'One more class' : `${counted(others)} more classes`}.</p>`}
    ${notes.length > 0 && html`<ul class="plain-list">${notes.map(note => html`<li>${note}</li>`)}</ul>`}`;
}

/** The table has the number, so the bar is decoration. */
const bar = (share: number): Html =>
  html`<svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="share-all" width="100" height="8"/><rect class="share-own" width="${(100 * share).toFixed(2)}" height="8"/></svg>`;

const MAX_LISTED = 10;

const LEAK =
  'alone it nearly determines the column to predict. If it is known only afterwards, exclude it: otherwise the report looks better than its predictions will be';

/**
 * What is noticeable about the columns that the report would learn from: those left out, and those that look like IDs.
 */
function hintsOf(
  predicted: number,
  { columns }: Profile,
  { excluded, types }: DataSettings,
  leaks: readonly string[],
): Html {
  const chosen = new Map(types);
  const others = columns.filter((_, index) => index !== predicted);
  const leftOut = others.flatMap(({ name, leftOut: found, leftOutAs }) => {
    if (excluded.includes(name)) return [{ name, why: 'you excluded it' }];
    const type = chosen.get(name);
    const why = type === undefined ? found : leftOutAs[columnTypeOf(type)];
    return why === null ? [] : [{ name, why }];
  });
  const doubtful = others.flatMap(({ name, hint }) => {
    if (excluded.includes(name)) return [];
    const leak = leaks.includes(name) ? [{ name, why: LEAK }] : [];
    return hint === null ? leak : [...leak, { name, why: hint }];
  });
  return html`
    ${list('Look at these columns', doubtful)}
    ${list('Columns that are left out', leftOut)}`;
}

function list(title: string, columns: readonly { name: string; why: string }[]): Html | false {
  if (columns.length === 0) return false;
  const more = columns.length - MAX_LISTED;
  return html`<section class="card"><h3>${title}</h3>
    <ul class="plain-list">${columns
      .slice(0, MAX_LISTED)
      .map(
        ({ name, why }) =>
          html`<li>${name === '' ? 'A column without a name' : named(name)}: ${why}${/[.!?]$/.test(why) ? '' : '.'}</li>`,
      )}</ul>
    ${more > 0 && html`<p class="muted">And ${more} more, which the page of the data lists.</p>`}</section>`;
}

/** All columns, to choose the one to predict. */
function columnList(dataId: string, profile: Profile): Html {
  return html`
    <div class="stack">
      <h2 id="choose">Choose the column to predict</h2>
      <p class="lead">It must be known for past rows, and is what you want to know about new ones.</p>
      ${tableBox({
        labelledBy: 'choose',
        head: ['Column', { text: 'Type', kind: 'wide-only' }, 'Values'],
        rows: profile.columns.map((column, index) => row(dataId, profile, column, index)),
      })}
    </div>`;
}

function row(dataId: string, profile: Profile, column: ProfiledColumn, index: number): Html {
  const target = targetOf(column, profile);
  const name = column.name === '' ? html`<em>column ${index + 1}</em>` : named(column.name);
  const link = html`<a href="/data/${dataId}/predict?column=${index}">${name}</a>`;
  return html`<tr>
    <th scope="row" class="column-name">${target.kind === 'refused' ? name : link}</th>
    <td class="muted wide-only">${column.type}</td>
    <td class="target">${summaryOf(target, column)}</td>
  </tr>`;
}

const MAX_NAMED = 4;

function summaryOf(target: PredictionTarget, { distinct }: ProfiledColumn): Html {
  switch (target.kind) {
    case 'refused':
      return html`<span class="muted">Cannot be predicted: ${target.problem.message}.</span>`;
    case 'amounts':
      return html`<span class="muted">a number, of ${distinctText(distinct)} different ones</span>`;
    case 'classes': {
      const first = target.classes
        .slice(0, MAX_NAMED)
        .map(({ name }, i) => html`${i > 0 && ', '}${named(name)}`);
      const more = target.classes.length + target.unlisted - MAX_NAMED;
      return html`${first}${more > 0 && html` <span class="muted">and ${more} more</span>`}`;
    }
  }
}

const distinctText = ({ count, isMore }: ProfiledColumn['distinct']): string =>
  `${isMore ? 'more than ' : ''}${counted(count)}`;
