import { type ImportedReport, isImported, isOfNumbers } from '../../base/contract/schemas.ts';
import { classRows, correctRows } from '../../training/learn/evaluation.ts';
import { calibrationChart } from '../charts/calibration-chart.ts';
import { confusionChart } from '../charts/confusion-chart.ts';
import { rocChart } from '../charts/roc-chart.ts';
import { copyBox } from '../elements.ts';
import { flag, type Html, html, named } from '../html.ts';
import type { Page } from '../page.ts';
import { tableBox } from '../table.ts';
import { countText, nameText, percentOf } from '../texts.ts';
import { classOrder } from './class-order.ts';
import type { ReportEvaluation } from './evaluation/evaluation.ts';
import type { ClassesReport, ReportView } from './report-view.ts';
import { numberResultsSection } from './sections/numbers/number-sections.ts';
import {
  drivers,
  IMPORT_NOTES,
  importedOrigin,
  notes,
  reportHeading,
  techSpecsSection,
  warnings,
} from './sections/overview.ts';
import { personaForm } from './sections/persona-form.ts';

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

/** More classes than this are chosen from a list. */
const MAX_LINKS = 8;

/** What the testing results show, and their download. */
function testingResultsSection(view: ReportView): Html {
  const { evaluation, report } = view;
  return html`<section class="card stack" aria-labelledby="testing-results">
<div class="row apart"><h2 id="testing-results">Testing results</h2>${download(view)}</div>
${
  isOfNumbers(report)
    ? numberResultsSection(report)
    : evaluation === undefined
      ? html`<p>The testing results cannot be read, so there are no charts. ${isImported(report) ? 'Import' : 'Train'} the report again with <code>--if-exists replace</code>.</p>`
      : charts(report, view, evaluation)
}</section>`;
}

function download({ report: { id }, session }: ReportView): Html {
  return session.principal.hasScope('testing-results')
    ? html`<a class="button" href="/platform/reports/${id}/testing-results.csv" download>Download CSV</a>`
    : html`<p class="muted">The CSV holds labelled rows; it needs a key with the scope <code>testing-results</code>.</p>`;
}

function charts(report: ClassesReport, view: ReportView, evaluation: ReportEvaluation): Html {
  const { classes, quality } = report;
  const { testing_rows: rows, confusion } = quality;
  const order = classOrder(classes);
  const correct = correctRows(confusion);
  const matrix = confusionChart({
    id: 'confusion',
    title: 'Confusion matrix',
    classes: order.map(index => classes[index] ?? ''),
    counts: order.map(actual => order.map(predicted => confusion[actual]?.[predicted] ?? 0)),
    caption: html`<span class="key right">correct</span> <span class="key wrong">mistaken</span> stronger: a larger share of the actual class`,
  });
  const choice = chooser(classes, view.curveClass, order);
  // A large matrix has a row of its own.
  const isWide = classes.length > 5;
  return html`<p class="muted">${isImported(report) ? `${countText(rows)} labelled rows tested the model.` : `Of the labelled rows, ${countText(rows)} were kept from the evaluated model.`} It is right for ${countText(correct)} of them (${percentOf(correct / rows)}).</p>
${isWide ? html`${matrix}${choice}` : choice}
<div class="results" id="curves">${!isWide && matrix}${curves(report, view.curveClass, evaluation)}</div>`;
}

function curves({ classes, quality }: ClassesReport, curveClass: number, evaluation: ReportEvaluation): Html {
  const name = classes[curveClass] ?? '';
  const rows = classRows(quality.confusion)[curveClass] ?? 0;
  const calibration = calibrationChart({
    id: 'calibration',
    name,
    share: rows / quality.testing_rows,
    bins: quality.calibration[curveClass] ?? [],
  });
  const curve = evaluation.curves[curveClass];
  if (curve === undefined) {
    const reason = rows === 0 ? 'no testing row has it' : 'all testing rows have it';
    return html`<p>There is no ROC curve of ${nameText(name)}: ${reason}.</p>${calibration}`;
  }
  const others = evaluation.curves.flatMap((other, index) =>
    classes.length === 2 || index === curveClass || other === undefined ? [] : [other.points],
  );
  return html`${rocChart({ id: 'roc', name, area: curve.area, points: curve.points, others })}${calibration}`;
}

/** Which class the curves are of, against all others. Links and a form, because the server draws them. */
function chooser(classes: readonly string[], chosen: number, order: readonly number[]): Html {
  const nameOf = (index: number): string => nameText(classes[index] ?? '');
  if (classes.length <= MAX_LINKS) {
    const links = order.map(
      index =>
        html`<li><a href="?class=${index}#curves"${index === chosen && html` aria-current="true"`}><bdi>${nameOf(index)}</bdi></a></li>`,
    );
    return html`<nav class="curve-classes row" aria-labelledby="curve-class"><span id="curve-class">Curves of</span><ul>${links}</ul></nav>`;
  }
  const options = order.map(
    index => html`<option value="${index}"${flag('selected', index === chosen)}>${nameOf(index)}</option>`,
  );
  return html`<form class="row" method="get" action="#curves"><label for="curve-class">Curves of</label>
<select id="curve-class" name="class">${options}</select> <button class="button" type="submit">Show</button></form>`;
}

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
