import { setImmediate as nextTurn } from 'node:timers/promises';
import { classesOf, type PredictionType, unknownColumns } from '../../base/contract/predictions.ts';
import type { Features, PersonaAnswer, Predicted, Prediction, Value } from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import { columnEncoderOf } from '../../formats/columns/column-encoder.ts';
import type { Model } from '../model/model-file.ts';
import { ValueWarnings } from '../model/value-warnings.ts';
import { wrongPredictions } from './record-scorer.ts';

/** Rows at once: they take some milliseconds, and the event loop has its turn between them. */
const ROWS = 4096;

/** Probabilities of many personas, by the rules of POST /user/batch-persona, in their order. */
export async function predictPersonas(model: Model, personas: readonly Features[]): Promise<Prediction[]> {
  const predictions: Prediction[] = [];
  for (let at = 0; at < personas.length; at += ROWS) {
    if (at > 0) await nextTurn();
    for (const prediction of predictRows(model, personas.slice(at, at + ROWS))) predictions.push(prediction);
  }
  return predictions;
}

function predictRows({ engine, columns, prediction }: Model, personas: readonly Features[]): Prediction[] {
  const width = columns.length;
  const values = new Float64Array(personas.length * width);
  columns.forEach((column, index) => {
    const encode = columnEncoderOf(column);
    for (const [row, features] of personas.entries())
      values[row * width + index] = encode(given(features, column.name)) ?? Number.NaN;
  });
  const numbers = engine.predict(values, personas.length);
  const errors = wrongPredictions(numbers, prediction);
  return personas.map((features, row) => {
    if (!hasAny(features, columns)) return { error: unknownColumns };
    const error = errors.get(row);
    if (error !== undefined) return { error };
    return predictedOf(prediction, numbers.subarray(row * engine.width, (row + 1) * engine.width));
  });
}

/** The numbers of one persona by name. */
function predictedOf(prediction: PredictionType, numbers: Float64Array): Predicted {
  const byName = (names: readonly string[]) =>
    Object.fromEntries(names.map((name, i) => [name, numbers[i] ?? Number.NaN]));
  if (prediction.kind !== 'numbers') return { probabilities: byName(classesOf(prediction)) };
  return prediction.names.length === 0
    ? { value: numbers[0] ?? Number.NaN }
    : { values: byName(prediction.names) };
}

/** A persona's value of a column. */
const given = (features: Features, name: string): Value =>
  (Object.hasOwn(features, name) ? features[name] : undefined) ?? null;

const hasAny = (features: Features, columns: Model['columns']): boolean =>
  columns.some(({ name }) => Object.hasOwn(features, name));

/**
 * One persona's probabilities, and warnings about its values, by the rules of POST /user/persona.
 *
 * @throws RowcastError `unknown_columns`, `wrong_prediction`
 */
export function predictPersona({ engine, columns, prediction }: Model, features: Features): PersonaAnswer {
  if (!hasAny(features, columns)) throw new RowcastError('unknown_columns', unknownColumns.message);
  const warnings = new ValueWarnings();
  const values = Float64Array.from(columns, column => {
    const value = given(features, column.name);
    const number = columnEncoderOf(column)(value);
    warnings.add(column, value, number);
    return number ?? Number.NaN;
  });
  const numbers = engine.predict(values, 1);
  const wrong = prediction.kind === 'numbers' ? wrongPredictions(numbers, prediction).get(0) : undefined;
  if (wrong !== undefined) throw new RowcastError('wrong_prediction', wrong.message);
  return { ...predictedOf(prediction, numbers), warnings: warnings.list };
}
