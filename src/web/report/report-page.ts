import { html } from '../html.ts';
import type { Page } from '../page.ts';
import type { ReportView } from './report-view.ts';
import { drivers } from './sections/drivers.ts';
import { notes } from './sections/notes.ts';
import { heading, techSpecs, warnings } from './sections/overview.ts';
import { personaForm } from './sections/persona-form.ts';
import { testingResults } from './sections/testing-results.ts';
import { useIt } from './sections/use-it.ts';

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
    content: html`${heading(view)}
${warnings(view)}
<nav class="contents" aria-label="On this page"><ul>${links}</ul></nav>
<div class="overview">${techSpecs(view)}
${drivers(view)}</div>
${testingResults(view)}
${personaForm(view)}
${useIt(view)}
${notes(view)}`,
  };
}
