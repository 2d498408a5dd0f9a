import type { FastifyReply, FastifyRequest } from 'fastify';
import { type TypeChoice, typeChoices } from '../../base/contract/limits.ts';
import { counted, countOf } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import { confirmButton, person, timeOf } from '../elements.ts';
import { flag, type Html, html, named } from '../html.ts';
import { sendPage } from '../page.ts';
import { csrfField } from '../session/csrf.ts';
import { sessionOf } from '../session/require-session.ts';
import type { Session } from '../session/sessions.ts';
import { num, tableBox } from '../table.ts';
import { bytesText, numberText } from '../texts.ts';
import type { DataMeta } from './data-files.ts';
import type { Histogram, Profile, ProfiledColumn } from './profile/profile-shape.ts';
import { columnTypeOf, type DataSettings } from './settings.ts';

/** Columns of the table of first rows; a wider one is slow to draw and hard to read. */
const MAX_SHOWN_COLUMNS = 100;

/** The button that goes on saves it too, so that no choice is lost. */
const FORM = 'columns';

/** GET /data/<id>: what the data holds, and what training will do with its columns. */
export function dataPage(
  request: FastifyRequest,
  reply: FastifyReply,
  meta: DataMeta,
  profile: Profile,
): FastifyReply {
  const session = sessionOf(request);
  const content = html`
<div class="page-head">
<h1>${named(meta.name)}</h1>
<div class="row">
${deleteButton(meta.id, named(meta.name), session)}
<button class="button primary" type="submit" form="${FORM}" name="next" value="predict">Choose a column to predict</button>
</div>
</div>
<p class="muted">${countOf(meta.rows, 'row')}, ${countOf(meta.columns, 'column')}, ${bytesText(meta.bytes)}. Uploaded ${timeOf(meta.created)} by ${person(meta.by)}.</p>
${profile.notes.map(note => html`<div class="notice warn">${note}</div>`)}
${columnsForm(meta, profile, session)}
${firstRows(profile)}`;
  return sendPage(request, reply, {
    title: meta.name,
    current: '/',
    trail: [{ href: '/', text: 'Reports' }],
    content,
  });
}

function columnsForm(meta: DataMeta, profile: Profile, session: Session): Html {
  const { columns, rows: count, sampled } = profile;
  const uses = new Map<string, number>();
  for (const { name } of columns) uses.set(name, (uses.get(name) ?? 0) + 1);
  const rows = columns.map((column, index) => {
    const isNamed = column.name !== '' && uses.get(column.name) === 1;
    return columnRow(column, index, { isNamed, rows: count, sampled, settings: meta.settings });
  });
  return html`<form class="stack" id="${FORM}" method="post" action="/platform/data/${meta.id}/settings">
${csrfField(session)}
<div class="page-head pinned"><h2>Columns</h2><button class="button" type="submit">Save types and uses</button></div>
<p class="muted">${
    sampled < count
      ? `Rows, missing and distinct values are counted in all rows; types, distributions and what is left out are estimated from a random sample of ${counted(sampled)}.`
      : 'What training leaves out may differ slightly, because it keeps a fifth of the rows for testing.'
  }</p>
${tableBox({ label: 'Columns', head: ['Column', 'Type', 'Use', num('Missing'), num('Distinct'), 'Values', 'In training'], rows })}
</form>`;
}

function firstRows({ columns, firstRows: rows }: Profile): Html {
  const shown = columns.slice(0, MAX_SHOWN_COLUMNS);
  const more = columns.length - shown.length;
  return html`<h2>First rows</h2>
${more > 0 && html`<p class="muted">Without the last ${countOf(more, 'column')}.</p>`}
${tableBox({
  label: 'First rows',
  kind: 'first-rows',
  head: shown.map(({ name }) => named(name)),
  rows: rows.map(
    row => html`<tr>${row.slice(0, shown.length).map(value => html`<td>${named(value)}</td>`)}</tr>`,
  ),
})}`;
}

/** The button that deletes data, after a question. */
export const deleteButton = (id: string, name: Html, session: Session): Html =>
  confirmButton({
    id: `delete-${id}`,
    label: 'Delete',
    about: name,
    title: ['Delete ', name, '?'],
    session,
    text: 'The file is removed from the service. Reports that were trained on it stay.',
    action: `/platform/data/${id}/delete`,
    submit: 'Delete data',
  });

const SHOWN_VALUES = 3;

/**
 * A row of the table of columns, with the controls for its type and use.
 *
 * @param isNamed whether its name tells it from all others, so that choices can be made for it
 */
function columnRow(
  column: ProfiledColumn,
  index: number,
  {
    isNamed,
    settings,
    ...counts
  }: { isNamed: boolean; settings: DataSettings; rows: number; sampled: number },
): Html {
  const { name } = column;
  const chosen = settings.types.find(([other]) => other === name)?.[1];
  const type = chosen === undefined ? column.type : columnTypeOf(chosen);
  const isExcluded = settings.excluded.includes(name);
  const leftOut = chosen === undefined ? column.leftOut : column.leftOutAs[columnTypeOf(chosen)];
  const { distinct, missing } = column;
  return html`<tr>
<th scope="row" class="column-name">${name === '' ? html`<span class="muted">column ${index + 1}</span>` : named(name)}</th>
<td>${isNamed ? typeControl(column, index, chosen) : column.type}</td>
<td>${isNamed && html`<label class="check"><input type="checkbox" name="use-${index}" value="1"${flag('checked', !isExcluded)}><span class="visually-hidden">Use ${named(name)}</span></label>`}</td>
<td class="num">${shareText(missing, counts.rows)}</td>
<td class="num">${distinct.isMore && html`<span aria-hidden="true">&gt; </span><span class="visually-hidden">more than </span>`}${counted(distinct.count)}</td>
<td>${valuesOf(column, type, counts)}</td>
<td class="column-use">${useOf(isExcluded ? 'it was excluded' : leftOut, column.hint)}</td>
</tr>`;
}

const orders: Partial<Record<TypeChoice, string>> = {
  'date:dmy': 'date, day before month',
  'date:mdy': 'date, month before day',
};

function typeControl(column: ProfiledColumn, index: number, chosen: string | undefined): Html {
  const options = typeChoices.map(
    type =>
      html`<option value="${type}"${flag('selected', type === chosen)}>${orders[type] ?? type}</option>`,
  );
  return html`<input type="hidden" name="column" value="${index}"><select name="type-${index}" aria-label="Type of ${sanitize(column.name)}">
<option value="auto"${flag('selected', chosen === undefined)}>auto: ${column.type}</option>${options}</select>`;
}

function valuesOf(
  column: ProfiledColumn,
  type: ProfiledColumn['type'],
  { rows, sampled }: { rows: number; sampled: number },
): Html | null {
  const { histogram, top, topOf, missing, distinct } = column;
  if (type !== 'categorical' && type === column.type && histogram !== null)
    return html`${histogramPicture(histogram, type)}${column.unreadable > 0 && html`<span class="small muted">${shareText(column.unreadable, sampled)} ${type === 'date' ? 'are not dates' : 'are not numbers'}</span>`}`;
  if (top.length === 0) return null;
  const given = topOf === 'all' ? rows - missing : sampled;
  // Shares of values that hardly repeat say nothing.
  const isIds = (top[0]?.count ?? 0) <= Math.max(1, given / 500);
  const shown = top
    .slice(0, SHOWN_VALUES)
    .map(
      ({ text, count }) =>
        html`<li>${named(text)}${!isIds && html` <span class="muted nowrap">${shareText(count, given)}</span>`}</li>`,
    );
  const isAll = !distinct.isMore && distinct.count <= SHOWN_VALUES;
  return html`<ul class="values">${shown}${!isAll && html`<li class="muted">…</li>`}</ul>`;
}

function useOf(leftOut: string | null, hint: string | null): Html {
  if (leftOut !== null)
    return html`<span class="badge">left out</span> <span class="small muted">${leftOut}</span>`;
  return hint === null
    ? html`<span class="muted">used</span>`
    : html`<span class="badge warn">used</span> <span class="small">${hint}</span>`;
}

const WIDTH = 150;
const HEIGHT = 28;
const GAP = 1;
/** Ranges with values are always visible. */
const MIN_HEIGHT = 1.5;
const DAY_MS = 86_400_000;

/** A small picture of how the values of a column are distributed, with its range below. */
function histogramPicture(histogram: Histogram, type: 'numerical' | 'date'): Html {
  const { low, high, median, counts } = histogram;
  const text = (value: number): string => (type === 'date' ? dayText(value) : numberText(value));
  const most = Math.max(...counts, 1);
  const width = WIDTH / counts.length;
  const bars = counts.map((count, i) => {
    const height = count === 0 ? 0 : Math.max(MIN_HEIGHT, (count / most) * HEIGHT);
    const [x, y] = [rounded(i * width), rounded(HEIGHT - height)];
    return html`<rect class="bar" x="${x}" y="${y}" width="${rounded(width - GAP)}" height="${rounded(height)}"/>`;
  });
  const description = `From ${text(low)} to ${text(high)}, median ${text(median)}`;
  return html`<span class="spark"><svg class="histogram" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${description}"><title>${description}</title>${bars}</svg>
<span class="spark-range small muted"><span>${text(low)}</span><span>${text(high)}</span></span></span>`;
}

const rounded = (value: number): number => Math.round(value * 100) / 100;

/** Days since 1970 as a date. */
function dayText(days: number): string {
  const date = new Date(Math.floor(days) * DAY_MS);
  return Number.isNaN(date.getTime()) ? numberText(days) : date.toISOString().slice(0, 10);
}

/** A share in percent: never 0 or 100 unless it is exactly that. */
function shareText(count: number, total: number): string {
  if (count === 0 || total === 0) return '0%';
  const percent = (100 * count) / total;
  if (count < total && percent > 99.9) return '> 99.9%';
  if (percent < 0.1) return '< 0.1%';
  return `${percent >= 10 ? Math.round(percent) : Number(percent.toFixed(1))}%`;
}
