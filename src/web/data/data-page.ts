import type { FastifyReply, FastifyRequest } from 'fastify';
import { counted, countOf } from '../../base/number-text.ts';
import { confirmButton, person, timeOf } from '../elements.ts';
import { type Html, html, named } from '../html.ts';
import { sendPage } from '../page.ts';
import { csrfField } from '../session/csrf.ts';
import { sessionOf } from '../session/require-session.ts';
import type { Session } from '../session/sessions.ts';
import { num, tableBox } from '../table.ts';
import { bytesText } from '../texts.ts';
import { columnRow } from './column-row.ts';
import type { DataMeta } from './data-files.ts';
import type { Profile } from './profile/profile-shape.ts';

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
