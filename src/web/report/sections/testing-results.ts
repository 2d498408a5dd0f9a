import { isImported, isOfNumbers } from '../../../base/contract/schemas.ts';
import { classRows, correctRows } from '../../../training/learn/evaluation.ts';
import { calibrationChart } from '../../charts/calibration-chart.ts';
import { confusionChart } from '../../charts/confusion-chart.ts';
import { rocChart } from '../../charts/roc-chart.ts';
import { flag, type Html, html } from '../../html.ts';
import { countText, nameText, percentOf } from '../../texts.ts';
import { classOrder } from '../class-order.ts';
import type { ReportEvaluation } from '../evaluation/evaluation.ts';
import type { ClassesReport, ReportView } from '../report-view.ts';
import { numberResultsSection } from './numbers/number-sections.ts';

/** More classes than this are chosen from a list. */
const MAX_LINKS = 8;

/** What the testing results show, and their download. */
export function testingResultsSection(view: ReportView): Html {
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
