import { isImported } from '../../base/contract/schemas.ts';
import { copyBox } from '../elements.ts';
import { type Html, html } from '../html.ts';
import type { Page } from '../page.ts';
import type { ReportView } from './report-view.ts';
import { IMPORT_NOTES, importedOrigin } from './sections/imported-origin.ts';
import { drivers, notes, reportHeading, techSpecsSection, warnings } from './sections/overview.ts';
import { personaForm } from './sections/persona-form.ts';
import { testingResultsSection } from './sections/testing-results.ts';

const contents = [
  ['tech-specs', 'Tech specs'],
  ['drivers', 'Drivers'],
  ['testing-results', 'Testing results'],
  ['persona', 'Try a persona'],
  ['use-it', 'Use it'],
] as const;

/** The page of a report, whose address ends with its id. */
export function reportPage(view: ReportView): Page {
  const links = contents.map(([id, text]) => html`<li><a href="#${id}">${text}</a></li>`);
  return {
    title: view.report.id,
    current: '/',
    trail: [{ href: '/', text: 'Reports' }],
    styles: ['charts.css', 'report.css'],
    scripts: ['persona.js', 'copy.js'],
    content: html`${reportHeading(view)}
${warnings(view)}
<nav class="contents" aria-label="On this page"><ul>${links}</ul></nav>
<div class="overview">${techSpecsSection(view)}
${drivers(view)}</div>
${isImported(view.report) && importedOrigin(view.report)}
${testingResultsSection(view)}
${personaForm(view)}
${useIt({ ...view, features: view.persona.features })}
${notes(view, isImported(view.report) ? IMPORT_NOTES : undefined)}`,
  };
}

/** The report's id and the commands that use it, to be copied. `copy.js` gives them the address of the page. */
export function useIt({
  report: { id },
  origin,
  features,
}: Pick<ReportView, 'origin'> & { report: { id: string }; features: string }): Html {
  return html`<section class="card stack" aria-labelledby="use-it" data-origin="${origin}"><h2 id="use-it">Use it</h2>
<p class="muted">The commands take an API key from the environment: create one on the page <a href="/keys">Keys</a>, then <code>export ROWCAST_API_KEY=…</code></p>
${copied('report-id', 'The report’s ID', id)}
${copied('score-command', 'Score a CSV on the command line', scoreCommand(origin, id))}
${copied('curl-persona', 'Predict one persona: the one in the form', personaCommand(origin, features, id))}
${copied('curl-batch', 'Score a CSV in one upload', batchCommand(origin, id))}
</section>`;
}

const copied = (id: string, title: string, text: string): Html =>
  html`<div class="stack tight"><h3>${title}</h3>${copyBox(id, text, title)}</div>`;

const scoreCommand = (origin: string, id: string): string =>
  `rowcast score personas.csv --report ${id} --url ${quoted(origin)} -o scored.csv`;

/** @param features an object as JSON */
export function personaCommand(origin: string, features: string, id: string): string {
  const body = `{"id": ${JSON.stringify(id)}, "features": ${features}}`;
  return `curl -fsS ${quoted(`${origin}/user/persona`)} \\
  -H "Authorization: ApiKey $ROWCAST_API_KEY" -H 'Content-Type: application/json' \\
  -d ${quoted(body)}`;
}

const batchCommand = (origin: string, id: string): string =>
  `curl -fsS ${quoted(`${origin}/user/batch-predict`)} \\
  -H "Authorization: ApiKey $ROWCAST_API_KEY" \\
  -F id=${id} -F file=@personas.csv -o scored.csv`;

/** A word of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
