import { scaleLinear, scaleUtc } from 'd3-scale';
import { columnEncoderOf } from '../../../formats/columns/column-encoder.ts';
import type { Predictor } from '../../../server/predict/predictor.ts';
import {
  categoryResponseChart,
  MAX_SERIES,
  type ResponseSeries,
  responseChart,
} from '../../charts/response-chart.ts';
import { type Html, html } from '../../html.ts';
import { nameText } from '../../texts.ts';
import type { LoadedReport } from '../loaded-reports.ts';
import { controlDate, type PersonaField } from './fields.ts';

/** The values of a column at which probabilities are predicted: numbers, days since 1970, or categories. */
type Grid = { type: 'numbers'; values: readonly number[] } | { type: 'levels'; values: readonly string[] };

const MAX_POINTS = 50;
const MAX_LEVELS = 20;

/**
 * At most 50 values over the range of the testing rows, or the most frequent categories; undefined if none is known.
 */
export function gridOf({ kind }: PersonaField): Grid | undefined {
  if (kind.type === 'choice' || kind.type === 'text') {
    const values = kind.levels.slice(0, MAX_LEVELS);
    return values.length === 0 ? undefined : { type: 'levels', values };
  }
  if (kind.profile === undefined) return undefined;
  const { low, high, isWhole } = kind.profile;
  if (low === high) return { type: 'numbers', values: [low] };
  const steps = isWhole ? Math.min(MAX_POINTS - 1, high - low) : MAX_POINTS - 1;
  const values = Array.from({ length: steps + 1 }, (_, i) => {
    const value = low + ((high - low) * i) / steps;
    return isWhole ? Math.round(value) : value;
  });
  return { type: 'numbers', values };
}

/**
 * The probabilities of a persona at the values of a column, everything else unchanged; of a date, the day changes and
 * the time of day does not.
 *
 * @param persona a number per column of the model
 * @param nextTurn waits until the next slice may be scored
 */
export async function responseCurve(
  { model, work }: Predictor,
  persona: Float64Array,
  name: string,
  grid: Grid,
  nextTurn: () => Promise<void>,
): Promise<Float64Array> {
  const width = persona.length;
  const rows = grid.values.length;
  const values = new Float64Array(rows * width);
  for (let row = 0; row < rows; row++) values.set(persona, row * width);
  model.columns.forEach((column, i) => {
    if (column.name !== name || (column.type === 'date' && column.piece === 'hour')) return;
    // Numbers and dates are numbers to the model.
    const numbers = grid.type === 'numbers' ? grid.values : grid.values.map(columnEncoderOf(column));
    numbers.forEach((number, row) => {
      values[row * width + i] = number ?? Number.NaN;
    });
  });
  const classes = model.engine.width;
  const probabilities = new Float64Array(rows * classes);
  for (let from = 0; from < rows; from += work.sliceRows) {
    await nextTurn();
    const to = Math.min(rows, from + work.sliceRows);
    const slice = values.subarray(from * width, to * width);
    probabilities.set(model.engine.predict(slice, to - from), from * classes);
  }
  return probabilities;
}

/** The probabilities of a persona along a column. */
export interface Curve {
  grid: Grid;
  /** By value, a probability per class. */
  probabilities: Float64Array;
}

const DAY_MS = 86_400_000;
const ID = 'response';
/** About as many as fit on a phone. */
const TICKS = 4;

/** The chart of a curve; without one, says why. */
export function curveFigure(
  field: PersonaField,
  curve: Curve | undefined,
  report: Pick<LoadedReport['report'], 'predicts' | 'classes'>,
  current: string,
): Html {
  const column = field.name;
  if (curve === undefined)
    return html`<p class="muted">The values of ${nameText(column)} are not known, because the testing results cannot be read.</p>`;
  const { grid } = curve;
  const series = seriesOf(curve, report);
  if (grid.type === 'levels') {
    const at = field.kind.type === 'choice' ? Number(current || -1) : grid.values.indexOf(current);
    return categoryResponseChart({
      id: ID,
      column,
      values: grid.values,
      series,
      current: at === -1 ? undefined : at,
    });
  }
  const isDate = field.kind.type === 'date';
  const given = isDate ? daysIn(current) : current === '' ? Number.NaN : Number(current);
  return responseChart({
    id: ID,
    column,
    values: grid.values,
    series,
    current: Number.isFinite(given) ? given : undefined,
    ...(isDate ? dateTicks(grid.values) : numberTicks(grid.values)),
  });
}

function numberTicks(values: readonly number[]) {
  const scale = scaleLinear([values[0] ?? 0, values.at(-1) ?? 1], [0, 1]);
  const short = scale.tickFormat(TICKS);
  const text = (value: number) => String(Number(value.toPrecision(6)));
  return { ticks: scale.ticks(TICKS), tickText: short, text };
}

function dateTicks(values: readonly number[]) {
  const dateOf = (days: number) => new Date(days * DAY_MS);
  const scale = scaleUtc([dateOf(values[0] ?? 0), dateOf(values.at(-1) ?? 1)], [0, 1]);
  const short = scale.tickFormat(TICKS);
  return {
    ticks: scale.ticks(TICKS).map(date => date.getTime() / DAY_MS),
    tickText: (days: number) => short(dateOf(days)),
    text: (days: number) => controlDate(days, false),
  };
}

/** The value of a date control in days since 1970. Dates without a time are UTC to Date.parse, others are not. */
const daysIn = (text: string): number => Date.parse(text.includes('T') ? `${text}Z` : text) / DAY_MS;

/** The predicted number, or the classes to draw: the second of two, or those of many that become most likely. */
function seriesOf(
  { grid, probabilities }: Curve,
  { predicts, classes }: Pick<LoadedReport['report'], 'predicts' | 'classes'>,
): ResponseSeries[] {
  if (classes === undefined) return [{ name: predicts, probabilities: [...probabilities], isNumber: true }];
  const all = classes.map((name, index) => {
    const own = grid.values.map((_, row) => probabilities[row * classes.length + index] ?? 0);
    return { name, probabilities: own, most: Math.max(...own) };
  });
  if (classes.length === 2) return all.slice(1);
  if (classes.length <= MAX_SERIES) return all;
  return all.toSorted((a, b) => b.most - a.most).slice(0, MAX_SERIES);
}
