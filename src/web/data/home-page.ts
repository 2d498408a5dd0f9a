import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { testedText } from '../../base/contract/imported-facts.ts';
import { isImported } from '../../base/contract/schemas.ts';
import { counted } from '../../base/number-text.ts';
import { type ListedReport, listReports, newestReportIds } from '../../models/store/report-store.ts';
import type { Principal } from '../../server/auth/principal.ts';
import type { PlatformContext } from '../context.ts';
import { pageOf, timeInColumn, uploadBox } from '../elements.ts';
import { type Html, html, named } from '../html.ts';
import { sendPage } from '../page.ts';
import type { DiskQuota } from '../quota.ts';
import { csrfField } from '../session/csrf.ts';
import { mayCreate, sessionOf } from '../session/require-session.ts';
import type { Session } from '../session/sessions.ts';
import { num, tableBox, unseen } from '../table.ts';
import { bytesText } from '../texts.ts';
import { deleteButton } from './data-page.ts';
import type { ListedData } from './data-store.ts';

/** The numbers of the pages of both lists. */
const query = z.object({
  reports: z.string().optional().catch(undefined),
  data: z.string().optional().catch(undefined),
});

/** GET /: the reports that the key may use, and the uploaded data. */
export async function homePage(
  request: FastifyRequest,
  reply: FastifyReply,
  { home, data }: PlatformContext,
): Promise<FastifyReply> {
  const session = sessionOf(request);
  const { principal } = session;
  const pages = query.parse(request.query);
  const reports = (await newestReportIds(home)).filter(id => principal.canAccess(id));
  const tableOr = async (next: string): Promise<Html> =>
    reports.length > 0
      ? reportTable(home, reports, { principal, page: pages.reports })
      : html`<div class="empty compact"><h2>No reports yet</h2><p class="muted">${next}</p></div>`;
  const page = { title: 'Reports', current: '/' } as const;
  if (!mayCreate(principal))
    return sendPage(request, reply, {
      ...page,
      content: html`<h1>Reports</h1>
<div class="notice info">Your key is bound to reports. With it you can use them, but not upload data or train new ones.</div>
${await tableOr('Ask whoever gave you the key for access to a report.')}`,
    });
  const listed = await data.list();
  return sendPage(request, reply, {
    ...page,
    scripts: ['upload.js'],
    content:
      listed.length === 0 && reports.length === 0
        ? html`<h1 class="visually-hidden">Reports</h1>${firstUpload(session)}`
        : html`<h1>Reports</h1>
${await tableOr('Open data below and choose a column to predict.')}
${dataList(listed, { quota: data.quota, session, page: pages.data })}`,
  });
}

async function reportTable(
  home: string,
  all: readonly string[],
  { principal: { hasScope }, page }: { principal: Principal; page: string | undefined },
): Promise<Html> {
  const { shown: ids, links } = pageOf(all, page, { list: 'reports', anchor: 'content' });
  // What the API refuses to such a key.
  if (!hasScope('report'))
    return html`<div class="notice info">Your key cannot read reports: it needs the scope <code>report</code>.</div>
<ul>${ids.map(id => html`<li><code>${id}</code></li>`)}</ul>${links}`;
  const reports = await listReports(home, { ids, files: ['report.json'] });
  const quality = [num('Testing accuracy or R²'), num('Rows')];
  const head = ['Report', 'Predicts', 'Algorithm', ...quality, 'Created (UTC)'];
  return html`${tableBox({ label: 'Reports', head, rows: reports.map(reportRow) })}${links}`;
}

function reportRow({ id, report, created }: ListedReport): Html {
  const link = html`<th scope="row"><a href="/predictions/${id}">${id}</a></th>`;
  if (report === undefined)
    return html`<tr>${link}<td colspan="5"><span class="badge bad">damaged</span> <span class="muted">Train or import it again, and replace it.</span></td></tr>`;
  return html`<tr>${link}
<td>${report.predicts === undefined ? '–' : named(report.predicts)}</td>
<td>${report.tech_specs.algorithm}</td>
<td class="num">${testedText(report) ?? '–'}</td>
<td class="num">${isImported(report) || report.learned_from === undefined ? '–' : counted(report.learned_from.served_model)}</td>
<td>${created && timeInColumn(created.toISOString())}</td>
</tr>`;
}

/** The uploaded data with its quota, and where more is uploaded. */
function dataList(
  all: readonly ListedData[],
  { quota, session, page }: { quota: DiskQuota; session: Session; page: string | undefined },
): Html {
  const { shown, links } = pageOf(all, page, { list: 'data', anchor: 'data' });
  const sizes = [num('Rows'), num('Columns'), num('Size')];
  const head = ['File', ...sizes, 'Uploaded (UTC)', unseen('Actions')];
  return html`<div class="page-head"><h2 id="data">Data</h2>${quotaMeter(quota)}</div>
${uploadForm(session)}
${all.length > 0 && html`${tableBox({ label: 'Data', head, rows: shown.map(each => dataRow(each, session)) })}${links}`}`;
}

/** How much of the disk space for data is used. */
function quotaMeter({ used, total }: DiskQuota): Html {
  const text = `${bytesText(used)} of ${bytesText(total)} used`;
  const width = total === 0 ? 100 : Math.min(100, (100 * used) / total);
  return html`<span class="quota"><svg class="quota-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="quota-all" width="100" height="6" rx="3"/><rect class="quota-used" width="${width.toFixed(2)}" height="6" rx="3"/></svg><span class="small muted">${text}</span></span>`;
}

function dataRow({ id, meta }: ListedData, session: Session): Html {
  const name = meta === undefined ? html`<code>${id}</code>` : named(meta.name);
  const remove = deleteButton(id, name, session);
  if (meta === undefined)
    return html`<tr><th scope="row">${name}</th><td colspan="4"><span class="badge bad">damaged</span> <span class="muted">Delete it and upload the file again.</span></td><td><div class="row actions">${remove}</div></td></tr>`;
  return html`<tr><th scope="row"><a href="/data/${id}">${name}</a></th>
<td class="num">${counted(meta.rows)}</td>
<td class="num">${counted(meta.columns)}</td>
<td class="num">${bytesText(meta.bytes)}</td>
<td>${timeInColumn(meta.created)}</td>
<td><div class="row actions"><a class="button small" href="/data/${id}/predict">Predict<span class="visually-hidden"> with ${name}</span></a>${remove}</div></td></tr>`;
}

/** The empty home page: one thing to do. */
const firstUpload = (session: Session): Html => html`<section class="empty drop" data-upload>
<h2>Upload data to learn from</h2>
<p class="lead">A CSV, JSON lines or Parquet file whose rows have a known outcome, such as customers and whether they left or what they spent. Then choose the column to predict.</p>
${uploadOr(html`<p>No file at hand? <button class="link" type="submit">Try the sample</button>: 5,000 customers of a telecom company.</p>`, session)}
</section>`;

/** The form to upload a file, on a page that has data already. */
const uploadForm = (session: Session): Html => html`<section class="empty drop compact" data-upload>
${uploadOr(html`<p class="small muted">Or <button class="link" type="submit">try the sample</button>.</p>`, session)}
</section>`;

const uploadOr = (sample: Html, session: Session): Html =>
  uploadBox(
    'Upload a file',
    html`<form method="post" action="/platform/data/sample">${csrfField(session)}${sample}</form>`,
  );
