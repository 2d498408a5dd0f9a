import type { ImportedReport } from '../../base/contract/schemas.ts';
import { type Html, html, named } from '../html.ts';
import type { Page } from '../page.ts';
import type { Session } from '../session/sessions.ts';
import { countText } from '../texts.ts';
import { useIt } from './report-page.ts';
import { IMPORT_NOTES, importedOrigin } from './sections/imported-origin.ts';
import { drivers, notes, reportHeading, warnings } from './sections/overview.ts';

/** The report of a model that another library trained, and who looks at it. */
interface ImportedView {
  report: ImportedReport;
  session: Session;
  origin: string;
}

/** The page of a report that was imported without labelled rows, or that predicts numbers: it has no charts of results. */
export function importedPage(view: ImportedView): Page {
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
<div class="table-box" tabindex="0" role="region" aria-label="Columns"><table><thead><tr><th scope="col">Column</th><th scope="col">Type</th></tr></thead><tbody>${rows}</tbody></table></div>
${more > 0 && html`<p class="muted">And ${countText(more)} more.</p>`}</section>`;
}
