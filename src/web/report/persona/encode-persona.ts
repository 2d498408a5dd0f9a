import type { Value } from '../../../base/contract/schemas.ts';
import { JsonReader } from '../../../server/predict/json-reader.ts';
import { MAX_BODY_MEMBERS } from '../../../server/predict/persona-work.ts';
import type { Predictor } from '../../../server/predict/predictor.ts';
import { RequestError } from '../../../server/problems/problems.ts';

export type Features = readonly (readonly [name: string, value: Value])[];

/** An object of features as JSON. Written by hand, because a column may be called __proto__. */
export function featuresJson(features: Features): string {
  return `{${features.map(([name, value]) => `${escaped(name)}: ${escaped(value)}`).join(', ')}}`;
}

/** JSON of a value, in which characters that cannot be seen are escaped, such as those that change the direction of text. */
const escaped = (value: Value): string =>
  JSON.stringify(value).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, unseen =>
    Array.from(
      { length: unseen.length },
      (_, i) => `\\u${unseen.charCodeAt(i).toString(16).padStart(4, '0')}`,
    ).join(''),
  );

/** A persona as a number per column of the model, read as the request of `/user/persona` is. */
export function encodePersona({ personas }: Predictor, features: Features): Float64Array {
  const json = new JsonReader(Buffer.from(featuresJson(features)), MAX_BODY_MEMBERS);
  const { values, errors } = personas.readFeatures(json);
  const error = errors.get(0);
  if (error !== undefined) throw new RequestError(error.code, error.message);
  // The reader overwrites them with the next persona.
  return values.slice();
}
