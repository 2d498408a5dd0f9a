import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Value } from '../../../base/contract/schemas.ts';
import { keyOf } from '../../../server/limits/shares.ts';
import { JsonReader } from '../../../server/predict/json-reader.ts';
import { MAX_BODY_MEMBERS } from '../../../server/predict/persona-work.ts';
import type { Predictor } from '../../../server/predict/predictor.ts';
import { RequestError } from '../../../server/problems/problems.ts';
import type { PlatformContext } from '../../context.ts';
import type { LoadedReport } from '../loaded-reports.ts';
import { MAX_FIELDS, type PersonaField } from './fields.ts';
import { controlText, type PersonaValues, readPersona } from './read-form.ts';
import { type Curve, gridOf, responseCurve } from './response-curve.ts';

/** The form for personas and what the model says about the one in it. */
export interface PersonaView {
  /** The texts of the controls. */
  values: PersonaValues;
  errors: ReadonlyMap<string, string>;
  remarks: ReadonlyMap<string, string>;
  /** In the order of the report's classes, or the number; undefined if there are errors, or if they were not asked for. */
  probabilities: Float64Array | undefined;
  /** The persona as the features of a request. */
  features: string;
  /** The field along which probabilities are shown, and their curve. */
  along: PersonaField | undefined;
  curve: Curve | undefined;
}

export interface PersonaRequest {
  request: FastifyRequest;
  reply: FastifyReply;
  loaded: LoadedReport;
  /** The texts of the controls; a typical persona if omitted. */
  values: PersonaValues | undefined;
  wants: { probabilities: boolean; curve: boolean };
}

/**
 * Reads a persona from the form and predicts it, with the code and within the limits of `/user/persona`.
 *
 * @throws RequestError `rate_limited`, `unknown_columns`
 */
export async function viewPersona(
  { models, fairUse, onScored }: PlatformContext,
  { request, reply, loaded: { report, fields }, values: given, wants }: PersonaRequest,
): Promise<PersonaView> {
  const typical = given === undefined ? fields : fields.slice(MAX_FIELDS);
  const values = { ...Object.fromEntries(typical.map(field => [field.key, field.typical])), ...given };
  const { features, errors, remarks } = readPersona(fields, values);
  const along = fields.find(({ key }) => key === controlText(values, 'along')) ?? fields[0];
  const view = { values, errors, remarks, features: featuresJson(features), along };
  if (errors.size > 0 || !(wants.probabilities || wants.curve))
    return { ...view, probabilities: undefined, curve: undefined };
  fairUse.checkRows(request, reply);
  const { predictor, release } = await models.hold(report.id);
  try {
    const key = keyOf(request);
    const persona = encodePersona(predictor, features);
    const charge = (rows: number): void => {
      fairUse.rowRate.charge(key, rows);
      onScored(request, rows);
    };
    let probabilities: Float64Array | undefined;
    if (wants.probabilities) {
      charge(1);
      probabilities = predictor.model.engine.predict(persona, 1);
    }
    const grid = wants.curve && along ? gridOf(along) : undefined;
    let curve: Curve | undefined;
    if (along && grid) {
      charge(grid.values.length);
      const nextTurn = (): Promise<void> => fairUse.turns.next(key);
      curve = { grid, probabilities: await responseCurve(predictor, persona, along.name, grid, nextTurn) };
    }
    return { ...view, probabilities, curve };
  } finally {
    release();
  }
}

type Features = readonly (readonly [name: string, value: Value])[];

/** An object of features as JSON. Written by hand, because a column may be called __proto__. */
export function featuresJson(features: Features): string {
  return `{${features.map(([name, value]) => `${escaped(name)}: ${escaped(value)}`).join(', ')}}`;
}

/**
 * JSON of a value, in which characters that cannot be seen are escaped, such as those that change the direction of
 * text.
 */
const escaped = (value: Value): string =>
  JSON.stringify(value).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, unseen =>
    Array.from(
      { length: unseen.length },
      (_, i) => `\\u${unseen.charCodeAt(i).toString(16).padStart(4, '0')}`,
    ).join(''),
  );

/** A persona as a number per column of the model, read as the request of `/user/persona` is. */
function encodePersona({ personas }: Predictor, features: Features): Float64Array {
  const json = new JsonReader(Buffer.from(featuresJson(features)), MAX_BODY_MEMBERS);
  const { values, errors } = personas.readFeatures(json);
  const error = errors.get(0);
  if (error !== undefined) throw new RequestError(error.code, error.message);
  // The reader overwrites them with the next persona.
  return values.slice();
}
