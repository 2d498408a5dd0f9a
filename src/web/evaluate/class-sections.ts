import type { ClassFigures, Evaluation } from '../../evaluate/evaluation.ts';
import { figureText, figureTitle, intervalText } from '../../evaluate/figure-texts.ts';
import { barChart } from '../charts/bar-chart.ts';
import { calibrationChart } from '../charts/calibration-chart.ts';
import { confusionChart } from '../charts/confusion-chart.ts';
import { rocChart } from '../charts/roc-chart.ts';
import { type Html, html } from '../html.ts';
import { nameText, percentOf } from '../texts.ts';

/** More classes have no charts of their own: the page would be slow to open. */
const MAX_CHARTS = 20;

/** Confusions, and the curves of each class against all others; of two classes, of the second one. */
export function classSections(evaluation: Evaluation): Html {
  const { by_class: byClass, classes, confusion } = evaluation;
  const [only] = byClass;
  const isOfTwo = byClass.length === 1;
  const withCharts = byClass.filter(each => each.calibration.length > 0);
  return html`${
    confusion !== null &&
    html`<section class="card stack" aria-labelledby="classes"><h2 id="classes">${isOfTwo ? `Curves of ${nameText(only?.class ?? '')}` : 'Confusions'}</h2>
<div class="courses">${confusionChart({
      id: 'confusion',
      title: 'Confusion matrix',
      classes: classes ?? [],
      counts: confusion,
      caption: html`<span class="key right">correct</span> <span class="key wrong">mistaken</span> stronger: a larger share of the actual class`,
    })}${isOfTwo && only && curves(only, '')}</div></section>`
  }
${isOfTwo && only && gainsSection(only)}
${
  !isOfTwo &&
  withCharts.length > 0 &&
  html`<section class="card stack" aria-labelledby="curves"><h2 id="curves">Each class against all others</h2>
${withCharts.length > MAX_CHARTS && html`<p class="muted">These are the first ${MAX_CHARTS} of ${withCharts.length} classes; the JSON summary has all.</p>`}
${withCharts.slice(0, MAX_CHARTS).map(
  (each, i) => html`<details><summary><bdi>${nameText(each.class)}</bdi>${summaryOf(each)}</summary>
<div class="courses">${curves(each, `-${i}`)}${gainsChart(each, `-${i}`)}</div></details>`,
)}</section>`
}`;
}

function summaryOf({ figures }: ClassFigures): Html {
  const names = ['auc', 'precision', 'recall', 'calibration_error'].filter(
    name => figures[name]?.value != null,
  );
  return html`${names.map(name => html` · ${figureTitle(name)} ${figureText(name, figures[name]?.value, true)}`)}`;
}

function curves({ class: name, figures, roc, calibration }: ClassFigures, suffix: string): Html {
  const { auc, base_rate: rate } = figures;
  const interval = auc && intervalText('auc', auc, true);
  return html`${
    auc?.value == null
      ? html`<p>There is no ROC curve of <bdi>${nameText(name)}</bdi>: ${auc?.reason ?? 'there are no probabilities'}.</p>`
      : rocChart({
          id: `roc${suffix}`,
          name,
          area: auc.value,
          ...(interval && { interval }),
          points: roc.map(([falsePositives, truePositives]) => ({ falsePositives, truePositives })),
          others: [],
        })
  }${calibrationChart({ id: `calibration${suffix}`, name, share: rate?.value ?? 0, rows: 'labelled rows', bins: calibration })}`;
}

const gainsSection = (of: ClassFigures): Html | false =>
  of.gains.length > 0 &&
  html`<section class="card stack" aria-labelledby="gains-of"><h2 id="gains-of">Gains</h2>${gainsChart(of, '')}</section>`;

function gainsChart({ class: given, gains }: ClassFigures, suffix: string): Html | false {
  if (gains.length === 0) return false;
  const name = nameText(given);
  const shown = gains.map(({ top, captured, lift, cumulative_lift: cumulative }) => ({
    label: `The first ${percentOf(top, 0)}`,
    captured,
    cells: [percentOf(captured), lift.toFixed(2), cumulative.toFixed(2)],
    text: `${percentOf(captured)} · lift ${cumulative.toFixed(2)}`,
  }));
  return barChart({
    id: `gains${suffix}`,
    title: `Cumulative gains of ${name}`,
    description: `Which share of all rows that were ${name} is among the rows with the highest probabilities.`,
    caption: `Of the rows with the highest probabilities, the share of all rows that were ${name}; and the lift: how many times as frequent they are there as in all rows.`,
    most: 1,
    bars: shown.map(({ label, captured, text }) => ({ label, value: captured, text })),
    numbers: {
      head: ['Rows', 'Captured', 'Lift of this tenth', 'Lift so far'],
      rows: shown.map(({ label, cells }) => [label, ...cells]),
    },
  });
}
