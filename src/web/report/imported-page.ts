import type { ImportedReport } from '../../base/contract/schemas.ts';
import { type Html, html, named } from '../html.ts';
import type { Page } from '../page.ts';
import { tableBox } from '../table.ts';
import { countText } from '../texts.ts';
import { useIt } from './report-page.ts';
import type { ReportView } from './report-view.ts';
import { IMPORT_NOTES, importedOrigin } from './sections/imported-origin.ts';
import { drivers, notes, reportHeading, warnings } from './sections/overview.ts';

/** The page of a report that was imported without labelled rows, or that predicts numbers: it has no charts of results. */
export function importedPage(
  view: Pick<ReportView, 'session' | 'origin'> & { report: ImportedReport },
): Page {
  const { report, origin } = view;
  const features = Object.fromEntries(report.columns.map(({ name }) => [name, null]));
  return {
    title: report.id,
    current: '/',
    trail: [{ href: '/', text: 'Reports' }],
    styles: ['report.css'],
    scripts: ['copy.js'],
    content: html`${reportHeading(view)}
${warnings(view)}
<div class="overview">${importedOrigin(report)}
${report.drivers.length > 0 && drivers(view)}
${columns(report)}</div>
${useIt({ report, origin, features: JSON.stringify(features) })}
${notes(view, IMPORT_NOTES)}`,
  };
}

/** More are only counted. */
const MAX_COLUMNS = 200;

function columns({ columns: all }: ImportedReport): Html {
  const rows = all
    .slice(0, MAX_COLUMNS)
    .map(({ name, type }) => html`<tr><th scope="row">${named(name)}</th><td>${type}</td></tr>`);
  const more = all.length - rows.length;
  return html`<section class="card stack" aria-labelledby="columns"><h2 id="columns">Columns</h2>
${tableBox({ label: 'Columns', head: ['Column', 'Type'], rows })}
${more > 0 && html`<p class="muted">And ${countText(more)} more.</p>`}</section>`;
}
