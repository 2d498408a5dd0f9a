import type { NumberQuality, NumbersReport } from '../../../../base/contract/schemas.ts';
import { sanitize } from '../../../../base/sanitize.ts';
import { barChart } from '../../../charts/bar-chart.ts';
import { actualChart } from '../../../charts/calibration-chart.ts';
import { decileChart } from '../../../charts/decile-chart.ts';
import { type Html, html } from '../../../html.ts';
import { countedText, countText, shortNumber } from '../../../texts.ts';

/** What `rowcast report` prints of a report of numbers, and its errors next to those of always predicting the median. */
export function numberSpecsSection({
  tech_specs: specs,
  quality,
  learned_from: rows,
  columns,
}: NumbersReport): Html {
  const r2 = 'the share of the variance that is explained; at most 1, and 0 is the mean of all';
  const facts: [name: string, text: string, explanation?: string][] = [
    ['Algorithm', specs.algorithm],
    ['Objective', specs.objective, 'what the training has minimized'],
    ['Testing R²', specs.testing_r2, r2],
    ['Validation R²', specs.validation_r2],
    ['Training R²', specs.training_r2],
    ['Train–test split', specs.train_test_split],
    ['Rows of the served model', countText(rows.served_model), 'for your predictions'],
    ['Rows of the evaluated model', countText(rows.evaluated_model), 'for the figures on this page'],
    ['Testing rows', countText(quality.testing_rows)],
    ['Columns', countText(columns.length)],
  ];
  return html`<section class="card stack" aria-labelledby="tech-specs"><h2 id="tech-specs">Tech specs</h2>
<dl class="facts">${facts.map(([name, text, explanation]) => html`<dt>${name}</dt><dd>${sanitize(text)}${explanation !== undefined && html` <span class="small muted">${explanation}</span>`}</dd>`)}</dl>
${errorChart(quality)}
</section>`;
}

const errors = { RMSE: 'rmse', 'Mean absolute error': 'mae', 'Median error': 'median_error' } as const;

function errorChart(quality: NumberQuality): Html {
  const { baseline } = quality;
  const always = `Always ${shortNumber(baseline.value)}`;
  const all = Object.entries(errors).flatMap(([name, key]) => [
    { label: name, value: quality[key], text: shortNumber(quality[key]) },
    {
      label: always,
      value: baseline[key],
      text: shortNumber(baseline[key]),
      series: 'baseline' as const,
    },
  ]);
  const r2 = (value: number | null): string => (value === null ? 'undefined' : value.toFixed(3));
  return barChart({
    id: 'errors',
    title: 'Errors and baseline',
    description: `How far predictions are from the actual numbers, next to always predicting the median: the mean absolute error is ${shortNumber(quality.mae)}, and ${shortNumber(baseline.mae)} of the median.`,
    caption: 'In the unit of the column; the smaller, the better.',
    most: Math.max(Number.MIN_VALUE, ...all.map(({ value }) => value)),
    bars: all,
    numbers: {
      head: ['Predicted by', 'R²', ...Object.keys(errors)],
      rows: [
        ['This model', r2(quality.r2), ...Object.values(errors).map(key => shortNumber(quality[key]))],
        [always, r2(baseline.r2), ...Object.values(errors).map(key => shortNumber(baseline[key]))],
      ],
    },
  });
}

/** What the testing rows say about predicted numbers. */
export function numberResultsSection({ predicts, quality }: NumbersReport): Html {
  const { deciles, points, baseline, testing_rows: rows } = quality;
  const residuals = deciles.map(({ from, to, predicted, actual, residuals: quantiles, rows: own }) => ({
    name: `${shortNumber(from)} to ${shortNumber(to)}`,
    mean: actual - predicted,
    deciles: quantiles,
    note: countedText(own, 'row'),
  }));
  return html`<p class="muted">Of the labelled rows, ${countText(rows)} were kept from the evaluated model. Half of its predictions are at most ${shortNumber(quality.median_error)} from the actual number.</p>
<div class="results">${actualChart({ id: 'actual', name: predicts, baseline: baseline.value, bins: deciles, points })}
${decileChart({
  id: 'residuals',
  title: 'Residuals by prediction',
  rows: residuals,
  all: residuals,
  isNumbers: true,
  shows: 'the actual minus the predicted number, for each tenth of the predictions',
  head: ['Predicted', '10%', '25%', '50%', '75%', '90%'],
})}</div>`;
}
