import { line } from 'd3-shape';
import { type Html, html } from '../html.ts';
import { countedText, countText, nameText, percentOf } from '../texts.ts';
import { figure, sharePlot, toTenths } from './figure.ts';

/** The rows with a predicted probability in a range. */
interface CalibrationStep {
  from: number;
  to: number;
  rows: number;
  predicted: number;
  actual: number;
  low: number;
  high: number;
}

interface CalibrationChart {
  id: string;
  /** The class, as in the file. */
  name: string;
  /** The share of the class in all rows: what a model that knows nothing predicts. */
  share: number;
  /** What the rows are, by default testing rows. */
  rows?: string;
  bins: readonly CalibrationStep[];
}

const [WIDTH, HEIGHT] = [300, 344];
const area = { left: 40, top: 24, right: WIDTH - 4, bottom: 250 };
/** The counts of rows, below the axis. */
const counts = { top: 302, bottom: HEIGHT - 4 };

const { x, y, axes } = sharePlot({ x: 'Predicted probability', y: 'Actual share' }, area);
const draw = line<CalibrationStep>(
  bin => x(bin.predicted),
  bin => y(bin.actual),
).digits(1);

/** How often rows had a class, by the probability that was predicted; of a well calibrated model, the diagonal. */
export function calibrationChart({
  id,
  name: given,
  share,
  rows = 'testing rows',
  bins,
}: CalibrationChart): Html {
  const name = nameText(given);
  const percent = (value: number) => percentOf(value, 0);
  const most = Math.max(1, ...bins.map(({ rows }) => rows));
  return figure({
    id,
    title: `Calibration of ${name}`,
    description: `By predicted probability, the share of ${rows} that were ${name}, with 95 % confidence intervals. ${spoken(bins, name)}`,
    caption: html`Best on the diagonal. <span class="key baseline">share of all rows: ${percentOf(share)}</span>`,
    width: WIDTH,
    height: HEIGHT,
    content: html`${axes}
<line class="ideal" x1="${x(0)}" y1="${y(0)}" x2="${x(1)}" y2="${y(1)}"/>
<line class="baseline" x1="${x(0)}" x2="${x(1)}" y1="${toTenths(y(share))}" y2="${toTenths(y(share))}"/>
<path class="curve first faint" d="${draw(bins)}"/>
${bins.map(bin => drawBin(bin, most))}
<text class="axis" x="0" y="${counts.top - 6}">Rows</text>`,
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

function drawBin({ from, to, rows, predicted, actual, low, high }: CalibrationStep, most: number): Html {
  const [at, left, right] = [toTenths(x(predicted)), x(from) + 1, x(to) - 1];
  const height = toTenths(Math.max(1, ((counts.bottom - counts.top) * rows) / most));
  return html`<line class="interval" x1="${at}" x2="${at}" y1="${toTenths(y(low))}" y2="${toTenths(y(high))}"/><circle class="dot first" cx="${at}" cy="${toTenths(y(actual))}" r="${toTenths(2.5 + 2.5 * Math.sqrt(rows / most))}"/><rect class="count-bar" x="${toTenths(left)}" y="${counts.bottom - height}" width="${toTenths(Math.max(1, right - left))}" height="${height}"/>`;
}

function spoken(bins: readonly CalibrationStep[], name: string): string {
  const fullest = bins.toSorted((a, b) => b.rows - a.rows)[0];
  if (fullest === undefined) return '';
  const { from, to, rows, actual } = fullest;
  return `Most rows, ${countedText(rows, 'row')}, have a prediction from ${percentOf(from, 0)} to ${percentOf(to, 0)}; ${percentOf(actual)} of them were ${name}.`;
}
