import { layoutOf, withTemplate } from '../../bodies/layout-of.ts';
import { matrix } from '../../bodies/matrix.ts';
import { defaultAuth } from '../default-auth.ts';
import { modelPath } from '../described/model-path.ts';
import { firstAt, pathsOf } from '../described/pointers.ts';
import { readyQuestion } from '../described/ready-question.ts';
import { isObject } from '../is-object.ts';
import { modelServerProblem, modelServerStatuses } from '../model-server-problem.ts';
import { parseResponse } from '../parse-response.ts';
import type { KnownModel, Protocol } from '../protocol.ts';
import { InferenceResponses } from './inference-responses.ts';
import { matrixOf, outputsOf, parseMetadata } from './metadata.ts';

/**
 * The Open Inference Protocol, version 2, in JSON, which KServe, Triton, MLServer and Seldon have. Rows are sent as a tensor
 * for each column, or as one matrix if the model has a single input for all columns. The id of the report is the name of the model, or `NAME/versions/V` for one of its versions.
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
 * The output to ask for. Without it, MLServer returns the labels of a model of scikit-learn, and does not say that it has
 * others. A model that lists its outputs is asked for that one only if it has it.
 */
function requestedOutput({ classes, description }: KnownModel): string | undefined {
  if (classes === undefined) return undefined;
  const stated = outputsOf(description);
  return stated.length === 0 || stated.some(({ name }) => name === PROBABILITIES) ? PROBABILITIES : undefined;
}
