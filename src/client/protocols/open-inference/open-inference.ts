import * as z from 'zod';
import type { Description } from '../../../base/contract/schemas.ts';
import { layoutOf, withTemplate } from '../../bodies/layout-of.ts';
import { type MatrixInput, matrix } from '../../bodies/tensors.ts';
import { InvalidResponse, isObject, parseJson, parseResponse } from '../../parse-response.ts';
import { defaultAuth } from '../described/descriptions.ts';
import { firstAt, pathsOf } from '../described/json-pointer.ts';
import { modelPath, readyQuestion } from '../described/model-path.ts';
import { modelServerProblem, modelServerStatuses } from '../model-server-problem.ts';
import type { KnownModel, Protocol } from '../protocol.ts';
import { InferenceResponses } from './inference-responses.ts';

/**
 * The Open Inference Protocol, version 2, in JSON, which KServe, Triton, MLServer and Seldon have. Rows are sent as a
 * tensor for each column, or as one matrix if the model has a single input for all columns. The id of the report is the
 * name of the model, or `NAME/versions/V` for one of its versions.
 */
export const openInference: Protocol = {
  name: 'open-inference',
  auth: defaultAuth('open-inference'),
  describe: model => ({
    request: { method: 'GET', path: modelPath(MODEL, model), template: MODEL },
    read: parseMetadata,
  }),
  ready: model => readyQuestion(`${MODEL}/ready`, model),
  predict(model, known = {}) {
    const output = requestedOutput(known);
    const input = matrixOf(known.description);
    const inputs =
      input === undefined ? layoutOf({ layout: 'tensors', body: '$rows' }, 'null') : matrix(input, 'null');
    return {
      request: { method: 'POST', path: modelPath(`${MODEL}/infer`, model), template: `${MODEL}/infer` },
      body: withTemplate(inputs, {
        id: '$id',
        // MLServer would take several tensors for several requests.
        parameters: { content_type: input === undefined ? 'pd' : 'np' },
        inputs: '$rows',
        ...(output !== undefined && { outputs: [{ name: output }] }),
      }),
      reader: () => new InferenceResponses(output, known.classes),
    };
  },
  problemOf: (_, body, headers) =>
    modelServerProblem(body, headers, members => ({ message: firstAt(members, MESSAGES) })),
  dependsOnBatch: true,
  statuses: modelServerStatuses,
  kindOf(body) {
    const whole = parseResponse(body);
    if (!isObject(whole) || whole.error !== undefined) return undefined;
    // A description has lists of both, predictions have no inputs.
    return Array.isArray(whole.outputs) && whole.inputs === undefined ? 'predictions' : 'description';
  },
};

const MODEL = '/v2/models/{model}';
const MESSAGES = pathsOf(['/error', '/detail']);

/** What MLServer calls the probabilities of a model of scikit-learn. */
const PROBABILITIES = 'predict_proba';

/**
 * The output to ask for. Without it, MLServer returns the labels of a model of scikit-learn, and does not say that it
 * has others. A model that lists its outputs is asked for that one only if it has it.
 */
function requestedOutput({ classes, description }: KnownModel): string | undefined {
  if (classes === undefined) return undefined;
  const stated = outputsOf(description);
  return stated.length === 0 || stated.some(({ name }) => name === PROBABILITIES) ? PROBABILITIES : undefined;
}

const tensor = z.looseObject({
  name: z.string(),
  datatype: z.string(),
  shape: z.array(z.number()).optional(),
});

/** `GET /v2/models/NAME`, as far as it is used. A server that knows nothing of its model has empty lists. */
const metadata = z.looseObject({
  versions: z.array(z.string()).nullish(),
  inputs: z.array(tensor).nullish(),
  outputs: z.array(tensor).nullish(),
});

/** A tensor that a model says it returns. */
interface StatedOutput {
  name: string;
  datatype: string;
}

/**
 * What a model says about itself: its columns with their types, its outputs, and its versions, which are part of a
 * run's identity.
 *
 * @throws InvalidResponse
 */
function parseMetadata(body: Buffer): Description {
  const parsed = metadata.safeParse(parseJson(body));
  if (!parsed.success) throw new InvalidResponse('the response is no description of a model');
  const { versions, inputs, outputs } = parsed.data;
  const input = matrixIn(inputs ?? []);
  const columns =
    input === undefined ? (inputs ?? []).map(({ name, datatype }) => ({ name, type: datatype })) : [];
  return {
    ...(columns.length > 0 && { columns }),
    ...(input && { matrix: input }),
    ...(versions && versions.length > 0 && { model_sha256: versions.join(', ') }),
    outputs: (outputs ?? []).map(({ name, datatype }): StatedOutput => ({ name, datatype })),
  };
}

/** A single input with several numbers for each row, which are all columns; undefined if each column is an input. */
function matrixIn(inputs: readonly z.infer<typeof tensor>[]): MatrixInput | undefined {
  const [only, ...others] = inputs;
  if (only === undefined || others.length > 0 || !/^(FP|U?INT)\d+$/.test(only.datatype)) return undefined;
  const { name, datatype, shape: [, width, ...more] = [] } = only;
  if (width === undefined || width === 1 || more.length > 0) return undefined;
  return { name, datatype, width: width > 1 ? width : undefined };
}

/** The single input of a model that takes all columns as one matrix. */
const matrixOf = (description: Description | undefined): MatrixInput | undefined =>
  description?.matrix as MatrixInput | undefined; // see `parseMetadata`

/** The outputs of a description that `parseMetadata` has made. */
const outputsOf = (description: Description | undefined): readonly StatedOutput[] =>
  (description?.outputs as readonly StatedOutput[] | undefined) ?? []; // see above: descriptions may have other members
