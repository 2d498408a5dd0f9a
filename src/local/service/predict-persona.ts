import type { Features, Probabilities } from '../../contract/schemas.ts';
import { unknownColumns } from '../../contract/unknown-columns.ts';
import { RowcastError } from '../../errors.ts';
import { encoderOf } from '../../reports/model/column-encoder.ts';
import type { Model } from '../../reports/model/model-file.ts';

/**
 * One persona's probabilities, by the rules of POST /user/persona.
 *
 * @throws RowcastError `unknown_columns`
 */
export function predictPersona({ engine, columns, classes }: Model, features: Features): Probabilities {
  if (!columns.some(({ name }) => Object.hasOwn(features, name)))
    throw new RowcastError('unknown_columns', unknownColumns.message);
  const given = (name: string) => (Object.hasOwn(features, name) ? features[name] : undefined) ?? null;
  const values = Float64Array.from(columns, column => encoderOf(column)(given(column.name)) ?? Number.NaN);
  const probabilities = engine.predict(values, 1);
  return Object.fromEntries(classes.map((name, i) => [name, probabilities[i] as number]));
}
