import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { type ListedReport, listReports, newestReportIds } from '../../models/store/report-store.ts';
import type { Principal } from '../../server/auth/principal.ts';
import type { PlatformContext } from '../context.ts';
import { pageLinks, pageOf } from '../elements/pages.ts';
import { timeInColumn } from '../elements/times.ts';
import { type Html, html, named } from '../html.ts';
import { sendPage } from '../page.ts';
import { sessionOf } from '../session/require-session.ts';
import { mayCreate } from '../session/rights.ts';
import { dataList } from './data-list.ts';
import { countText } from './texts.ts';
import { firstUpload } from './upload/upload-form.ts';

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
  if (!mayCreate(principal))
    return sendPage(request, reply, {
      title: 'Reports',
      current: '/',
      content: html`<h1>Reports</h1>
<div class="notice info">Your key is bound to reports. With it you can use them, but not upload data or train new ones.</div>
${reports.length > 0 ? await reportTable(home, reports, { principal, page: pages.reports }) : noReports('Ask whoever gave you the key for access to a report.')}`,
    });
  const listed = await data.list();
  const isEmpty = listed.length === 0 && reports.length === 0;
  return sendPage(request, reply, {
    title: 'Reports',
    current: '/',
    scripts: ['upload.js'],
    content: isEmpty
      ? html`<h1 class="visually-hidden">Reports</h1>${firstUpload(session)}`
      : html`<h1>Reports</h1>
${reports.length > 0 ? await reportTable(home, reports, { principal, page: pages.reports }) : noReports('Open data below and choose a column to predict.')}
${dataList(listed, { quota: data.quota, session, page: pages.data })}`,
  });
}

const noReports = (next: string): Html =>
  html`<div class="empty compact"><h2>No reports yet</h2><p class="muted">${next}</p></div>`;

async function reportTable(
  home: string,
  all: readonly string[],
  { principal: { hasScope }, page }: { principal: Principal; page: string | undefined },
): Promise<Html> {
  const listed = pageOf(all, page);
  const ids = listed.shown;
  const links = pageLinks(listed, { list: 'reports', anchor: 'content' });
  // What the API refuses to such a key.
  if (!hasScope('report'))
    return html`<div class="notice info">Your key cannot read reports: it needs the scope <code>report</code>.</div>
<ul>${ids.map(id => html`<li><code>${id}</code></li>`)}</ul>${links}`;
  const reports = await listReports(home, { ids, files: ['report.json'] });
  return html`<div class="table-box" tabindex="0" role="region" aria-label="Reports">
<table>
<thead><tr><th scope="col">Report</th><th scope="col">Predicts</th><th scope="col">Algorithm</th><th scope="col" class="num">Testing accuracy</th><th scope="col" class="num">Rows</th><th scope="col">Created (UTC)</th></tr></thead>
<tbody>${reports.map(reportRow)}</tbody>
</table>
</div>${links}`;
}

function reportRow({ id, report, created }: ListedReport): Html {
  const link = html`<th scope="row"><a href="/predictions/${id}">${id}</a></th>`;
  if (report === undefined)
    return html`<tr>${link}<td colspan="5"><span class="badge bad">damaged</span> <span class="muted">Train it again, and replace it.</span></td></tr>`;
  const { predicts, tech_specs: specs, learned_from: rows } = report;
  return html`<tr>${link}
<td>${named(predicts)}</td>
<td>${specs.algorithm}</td>
<td class="num">${specs.testing_accuracy}</td>
<td class="num">${rows === undefined ? '–' : countText(rows.served_model)}</td>
<td>${created && timeInColumn(created.toISOString())}</td>
</tr>`;
}
