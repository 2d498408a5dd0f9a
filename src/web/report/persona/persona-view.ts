import type { FastifyReply, FastifyRequest } from 'fastify';
import { keyOf } from '../../../server/limits/shares.ts';
import type { Predictor } from '../../../server/predict/predictor.ts';
import type { PlatformContext } from '../../context.ts';
import type { LoadedReport } from '../loaded-reports.ts';
import type { Curve } from './curve-figure.ts';
import { encodePersona, featuresJson } from './encode-persona.ts';
import { MAX_FIELDS, type PersonaField } from './fields.ts';
import { type FormValues, readPersona, textOf } from './read-form.ts';
import { gridOf, responseCurve } from './response-curve.ts';

/** The form for personas and what the model says about the one in it. */
export interface PersonaView {
  /** The texts of the controls. */
  values: FormValues;
  errors: ReadonlyMap<string, string>;
  remarks: ReadonlyMap<string, string>;
  /** In the order of the report's classes; undefined if there are errors, or if they were not asked for. */
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
  values: FormValues | undefined;
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
  const along = fields.find(({ key }) => key === textOf(values, 'along')) ?? fields[0];
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
    const curve =
      wants.curve && along
        ? await curveOf({ predictor, persona, along, charge, nextTurn: () => fairUse.turns.next(key) })
        : undefined;
    return { ...view, probabilities, curve };
  } finally {
    release();
  }
}

async function curveOf({
  predictor,
  persona,
  along,
  charge,
  nextTurn,
}: {
  predictor: Predictor;
  persona: Float64Array;
  along: PersonaField;
  charge(rows: number): void;
  nextTurn(): Promise<void>;
}): Promise<Curve | undefined> {
  const grid = gridOf(along);
  if (grid === undefined) return undefined;
  charge(grid.values.length);
  return { grid, probabilities: await responseCurve(predictor, persona, along.name, grid, nextTurn) };
}
