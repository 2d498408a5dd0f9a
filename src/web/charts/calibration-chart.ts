import { line } from 'd3-shape';
import type { CalibrationBin } from '../../base/contract/schemas.ts';
import { type Html, html } from '../html.ts';
import { countedText, countText, nameText, percentOf, shortNumber } from '../texts.ts';
import { type EqualPlot, figure, numberPlot, sharePlot, toTenths } from './figure.ts';

interface CalibrationChart {
  id: string;
  /** The class, as in the file. */
  name: string;
  /** The share of the class in all rows: what a model that knows nothing predicts. */
  share: number;
  /** What the rows are, by default testing rows. */
  rows?: string;
  bins: readonly CalibrationBin[];
}

const [WIDTH, HEIGHT] = [300, 344];
const area = { left: 40, top: 24, right: WIDTH - 4, bottom: 250 };
/** The counts of rows, below the axis. */
const counts = { top: 302, bottom: HEIGHT - 4 };

const shares = sharePlot({ x: 'Predicted probability', y: 'Actual share' }, area);

/** How often rows had a class, by the probability that was predicted; of a well calibrated model, the diagonal. */
export function calibrationChart(chart: CalibrationChart): Html {
  const { id, name: given, share, rows = 'testing rows', bins } = chart;
  const name = nameText(given);
  const percent = (value: number) => percentOf(value, 0);
  return figure({
    id,
    title: `Calibration of ${name}`,
    description: `By predicted probability, the share of ${rows} that were ${name}, with 95 % confidence intervals. ${spoken(bins, name)}`,
    caption: html`Best on the diagonal. <span class="key baseline">share of all rows: ${percentOf(share)}</span>`,
    width: WIDTH,
    height: HEIGHT,
    content: drawing(shares, bins, share),
    numbers: {
      head: ['Predicted', 'Rows', 'Mean prediction', 'Actual share', '95 % interval'],
      rows: bins.map(bin => [
        `${percent(bin.from)} to ${percent(bin.to)}`,
        countText(bin.rows),
        percentOf(bin.predicted),
        percentOf(bin.actual),
        `${percentOf(bin.low)} to ${percentOf(bin.high)}`,
      ]),
    },
  });
}

interface ActualChart {
  id: string;
  /** The column that is predicted, as in the file. */
  name: string;
  /** What is predicted without a model. */
  baseline: number;
  bins: readonly CalibrationBin[];
  /** Predicted and actual numbers of single rows. */
  points: readonly (readonly [predicted: number, actual: number])[];
}

/** Actual numbers by the predicted ones: of single rows, and on average; of a good model, near the diagonal. */
export function actualChart({ id, name, baseline, bins, points }: ActualChart): Html {
  const range = rangeOf(bins, points);
  const plot = numberPlot({ x: 'Predicted', y: 'Actual' }, area, range);
  const [low = 0, high = 0] = plot.x.domain();
  const isInside = (value: number): boolean => value >= low && value <= high;
  const shown = points.filter(([predicted, actual]) => isInside(predicted) && isInside(actual));
  const beyond = points.length - shown.length;
  const dots = shown.map(
    ([predicted, actual]) =>
      html`<circle class="dot first faint" cx="${toTenths(plot.x(predicted))}" cy="${toTenths(plot.y(actual))}" r="1.5"/>`,
  );
  return figure({
    id,
    title: `Predicted against actual ${nameText(name)}`,
    description: `The mean of the actual numbers for each tenth of the predictions, with 95 % confidence intervals, and ${countedText(points.length, 'single row')}. Best on the diagonal.`,
    caption: html`Best on the diagonal. <span class="key baseline">median: ${shortNumber(baseline)}</span>${beyond > 0 && ` ${countedText(beyond, 'row')} of ${countText(points.length)} beyond the axes.`}`,
    width: WIDTH,
    height: HEIGHT,
    content: html`${dots}${drawing(plot, bins, baseline)}`,
    numbers: {
      head: ['Predicted', 'Rows', 'Mean prediction', 'Mean of the actual', '95 % interval'],
      rows: bins.map(bin => [
        `${shortNumber(bin.from)} to ${shortNumber(bin.to)}`,
        countText(bin.rows),
        shortNumber(bin.predicted),
        shortNumber(bin.actual),
        `${shortNumber(bin.low)} to ${shortNumber(bin.high)}`,
      ]),
    },
  });
}

/** The range of the means and of nearly all rows: a single row that is far from all others would hide them. */
function rangeOf(bins: readonly CalibrationBin[], points: ActualChart['points']): [number, number] {
  const values = points.flat().sort((a, b) => a - b);
  const least = values[Math.floor(0.01 * values.length)] ?? 0;
  const most = values[Math.ceil(0.99 * values.length) - 1] ?? 0;
  const means = bins.flatMap(({ predicted, actual, low, high }) => [predicted, actual, low, high]);
  const [low, high] = [Math.min(least, ...means), Math.max(most, ...means)];
  return high > low ? [low, high] : [low - 1, low + 1];
}

function drawing({ x, y, axes }: EqualPlot, bins: readonly CalibrationBin[], baseline: number): Html {
  const most = Math.max(1, ...bins.map(({ rows }) => rows));
  const draw = line<CalibrationBin>(
    bin => x(bin.predicted),
    bin => y(bin.actual),
  ).digits(1);
  const [start = 0, end = 1] = x.domain();
  const at = toTenths(y(baseline));
  const isShown = baseline >= start && baseline <= end;
  return html`${axes}
<line class="ideal" x1="${x(start)}" y1="${y(start)}" x2="${x(end)}" y2="${y(end)}"/>
${isShown && html`<line class="baseline" x1="${x(start)}" x2="${x(end)}" y1="${at}" y2="${at}"/>`}
<path class="curve first faint" d="${draw(bins)}"/>
${bins.map(bin => drawBin(bin, most, { x, y }))}
<text class="axis" x="0" y="${counts.top - 6}">Rows</text>`;
}

function drawBin(
  { from, to, rows, predicted, actual, low, high }: CalibrationBin,
  most: number,
  { x, y }: Pick<EqualPlot, 'x' | 'y'>,
): Html {
  const [start = 0, end = 1] = x.domain();
  const inside = (value: number): number => Math.min(end, Math.max(start, value));
  const [at, left, right] = [toTenths(x(predicted)), x(inside(from)) + 1, x(inside(to)) - 1];
  const height = toTenths(Math.max(1, ((counts.bottom - counts.top) * rows) / most));
  return html`<line class="interval" x1="${at}" x2="${at}" y1="${toTenths(y(low))}" y2="${toTenths(y(high))}"/><circle class="dot first" cx="${at}" cy="${toTenths(y(actual))}" r="${toTenths(2.5 + 2.5 * Math.sqrt(rows / most))}"/><rect class="count-bar" x="${toTenths(left)}" y="${counts.bottom - height}" width="${toTenths(Math.max(1, right - left))}" height="${height}"/>`;
}

function spoken(bins: readonly CalibrationBin[], name: string): string {
  const fullest = bins.toSorted((a, b) => b.rows - a.rows)[0];
  if (fullest === undefined) return '';
  const { from, to, rows, actual } = fullest;
  return `Most rows, ${countedText(rows, 'row')}, have a prediction from ${percentOf(from, 0)} to ${percentOf(to, 0)}; ${percentOf(actual)} of them were ${name}.`;
}
