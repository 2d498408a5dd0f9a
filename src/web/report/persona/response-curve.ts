import { encoderOf } from '../../../formats/columns/column-encoder.ts';
import type { Predictor } from '../../../server/predict/predictor.ts';
import type { PersonaField } from './fields.ts';

/** The values of a column at which probabilities are predicted: numbers, days since 1970, or categories. */
export type Grid =
  | { type: 'numbers'; values: readonly number[] }
  | { type: 'levels'; values: readonly string[] };

const MAX_POINTS = 50;
const MAX_LEVELS = 20;

/** At most 50 values over the range of the testing rows, or the most frequent categories; undefined if none is known. */
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
    const numbers = grid.type === 'numbers' ? grid.values : grid.values.map(encoderOf(column));
    numbers.forEach((number, row) => {
      values[row * width + i] = number ?? Number.NaN;
    });
  });
  const classes = model.classes.length;
  const probabilities = new Float64Array(rows * classes);
  for (let from = 0; from < rows; from += work.sliceRows) {
    await nextTurn();
    const to = Math.min(rows, from + work.sliceRows);
    const slice = values.subarray(from * width, to * width);
    probabilities.set(model.engine.predict(slice, to - from), from * classes);
  }
  return probabilities;
}
