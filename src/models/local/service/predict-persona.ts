import type { Features, PersonaAnswer } from '../../../base/contract/schemas.ts';
import { unknownColumns } from '../../../base/contract/unknown-columns.ts';
import { RowcastError } from '../../../base/errors.ts';
import { encoderOf } from '../../../formats/columns/column-encoder.ts';
import type { Model } from '../../model/model-file.ts';
import { ValueWarnings } from '../../model/value-warnings.ts';

/**
 * One persona's probabilities, and warnings about its values, by the rules of POST /user/persona.
 *
 * @throws RowcastError `unknown_columns`
 */
export function predictPersona({ engine, columns, classes }: Model, features: Features): PersonaAnswer {
  if (!columns.some(({ name }) => Object.hasOwn(features, name)))
    throw new RowcastError('unknown_columns', unknownColumns.message);
  const given = (name: string) => (Object.hasOwn(features, name) ? features[name] : undefined) ?? null;
  const warnings = new ValueWarnings();
  const values = Float64Array.from(columns, column => {
    const value = given(column.name);
    const number = encoderOf(column)(value);
    warnings.add(column, value, number);
    return number ?? Number.NaN;
  });
  const probabilities = engine.predict(values, 1);
  return {
    probabilities: Object.fromEntries(classes.map((name, i) => [name, probabilities[i] as number])),
    warnings: warnings.list,
  };
}
