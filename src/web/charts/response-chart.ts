import { type ScaleLinear, scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import { type Html, html } from '../html.ts';
import { countText, nameText, numberText, percentOf, shortened } from '../texts.ts';
import { figure, frame, roundScale, shareScale, toTenths } from './figure.ts';

/** The probability of a class, or the predicted number, for each value of the column. */
export interface ResponseSeries {
  /** The class, or the predicted column, as in the file. */
  name: string;
  probabilities: readonly number[];
  /** Whether it is a number, which has an axis of its own. */
  isNumber?: boolean;
}

interface ResponseChart {
  id: string;
  /** The column's name, as in the file. */
  column: string;
  /** The column's values, in ascending order. */
  values: readonly number[];
  text(value: number): string;
  ticks: readonly number[];
  /** A tick as text, of a few characters. */
  tickText(value: number): string;
  series: readonly ResponseSeries[];
  /** The persona's own value, if it has one. */
  current: number | undefined;
}

const [WIDTH, HEIGHT] = [300, 240];
const area = { left: 40, top: 24, right: WIDTH - 8, bottom: HEIGHT - 40 };

/** Longer names would leave the drawing. */
const MAX_TITLE = 32;

/** The names of the colours of series, in order. */
const colours = ['first', 'second', 'third', 'fourth', 'fifth'] as const;
export const MAX_SERIES = colours.length;

/** The probabilities of a persona along a column of numbers or dates, with everything else unchanged. */
export function responseChart(chart: ResponseChart): Html {
  const { id, values, series, text } = chart;
  const column = nameText(chart.column);
  return figure({
    id,
    title: `${titleOf(series)} by ${column}`,
    description: `How ${isOfNumber(series) ? 'the prediction' : 'the probabilities'} of this persona change${isOfNumber(series) ? 's' : ''} with ${column}. ${series.map(each => spoken(each, values, text)).join(' ')}`,
    caption: html`${legend(series)}${isInside(chart) && html`<span class="key mark">this persona</span>`}`,
    width: WIDTH,
    height: HEIGHT,
    content: drawing(chart),
    numbers: {
      head: [column, ...series.map(({ name }) => nameText(name))],
      rows: values.map((value, i) => [
        text(value),
        ...series.map(({ probabilities }) => textOf(series)(probabilities[i] ?? 0)),
      ]),
    },
  });
}

/** Whether the persona's own value is one that the curve shows. */
const isInside = ({ values, current }: ResponseChart): boolean =>
  current !== undefined && current >= (values[0] ?? 0) && current <= (values.at(-1) ?? 0);

function drawing(chart: ResponseChart): Html {
  const { column, values, series, ticks, tickText, current } = chart;
  const y = scaleOf(series).range([area.bottom, area.top]);
  const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 });
  const x = scaleLinear([values[0] ?? 0, values.at(-1) ?? 1], [area.left, area.right]);
  const draw = line<number>(
    (_, i) => x(values[i] ?? 0),
    probability => y(probability),
  ).digits(1);
  const at = current !== undefined && isInside(chart) ? toTenths(x(current)) : undefined;
  return html`${frame(
    { title: shortened(nameText(column), MAX_TITLE), ticks, at: x, text: tickText },
    {
      title: isOfNumber(series) ? 'Prediction' : 'Probability',
      ticks: y.ticks(5),
      at: y,
      text: value => (isOfNumber(series) ? short.format(value) : percentOf(value, 0)),
    },
    area,
  )}
${at !== undefined && html`<line class="here" x1="${at}" x2="${at}" y1="${area.top}" y2="${area.bottom}"/>`}
${series.map(({ probabilities }, i) => html`<path class="curve ${colours[i]}" d="${draw(probabilities)}"/>`)}`;
}

interface CategoryResponseChart {
  id: string;
  column: string;
  /** The column's values, as in the file. */
  values: readonly string[];
  series: readonly ResponseSeries[];
  /** The index of the persona's own value, if it is one of them. */
  current: number | undefined;
}

const ROW = 36;
const MAX_LABEL = 30;

/** The probabilities of a persona for each value of a column of categories: a line of dots for each value. */
export function categoryResponseChart(chart: CategoryResponseChart): Html {
  const { id, values, series, current } = chart;
  const column = nameText(chart.column);
  const text = textOf(series);
  const length = (isOfNumber(series) ? scaleOf(series) : scaleLinear([0, 1])).range([0, 100]);
  const [start = 0, end = 1] = length.domain();
  const rows = values.map((value, row) => {
    const top = ROW * row;
    const marks = series.map(({ probabilities }, i) => {
      const at = toTenths(length(probabilities[row] ?? 0));
      return series.length === 1 && start === 0
        ? html`<rect class="bar first" x="0" y="${top + 20}" width="${at}%" height="8" rx="2"/>`
        : html`<circle class="dot ${colours[i]}" cx="${at}%" cy="${top + 24}" r="5"/>`;
    });
    const shares = series.map(({ probabilities }) => text(probabilities[row] ?? 0)).join(' · ');
    const weight = row === current ? ' current' : '';
    return html`<g><text class="label${weight}" x="0" y="${top + 14}">${shortened(nameText(value), MAX_LABEL)}</text><text class="value" x="100%" y="${top + 14}" text-anchor="end">${series.length <= 2 && shares}</text><line class="grid" x1="0" x2="100%" y1="${top + 24}" y2="${top + 24}"/>${marks}</g>`;
  });
  return figure({
    id,
    title: `${titleOf(series)} by ${column}`,
    description: `The ${isOfNumber(series) ? 'prediction' : 'probabilities'} of this persona for ${countText(values.length)} values of ${column}, from ${text(start)} at the left to ${text(end)} at the right.`,
    caption: legend(series),
    height: ROW * values.length,
    content: rows,
    numbers: {
      head: [column, ...series.map(({ name }) => nameText(name))],
      rows: values.map((value, row) => [
        nameText(value),
        ...series.map(({ probabilities }) => text(probabilities[row] ?? 0)),
      ]),
    },
  });
}

function legend(series: readonly ResponseSeries[]): Html {
  return html`${series.map(({ name }, i) => html`<span class="key ${colours[i]}"><bdi>${nameText(name)}</bdi></span> `)}`;
}

const isOfNumber = (series: readonly ResponseSeries[]): boolean => series[0]?.isNumber === true;

const textOf = (series: readonly ResponseSeries[]): ((value: number) => string) =>
  isOfNumber(series) ? numberText : percentOf;

const titleOf = (series: readonly ResponseSeries[]): string =>
  isOfNumber(series) ? `Predicted ${nameText(series[0]?.name ?? '')}` : 'Probabilities';

/** The axis of the predictions. */
function scaleOf(series: readonly ResponseSeries[]): ScaleLinear<number, number> {
  const values = series.flatMap(({ probabilities }) => probabilities);
  const most = Math.max(...values);
  return isOfNumber(series) ? roundScale(Math.min(...values), most) : shareScale(most);
}

function spoken(
  { name, probabilities, isNumber }: ResponseSeries,
  values: readonly number[],
  text: ResponseChart['text'],
): string {
  const [most, least] = [Math.max(...probabilities), Math.min(...probabilities)];
  const at = (probability: number) => text(values[probabilities.indexOf(probability)] ?? 0);
  const shown = isNumber === true ? numberText : percentOf;
  return `${nameText(name)}: from ${shown(least)} at ${at(least)} to ${shown(most)} at ${at(most)}.`;
}
