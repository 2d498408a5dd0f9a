import type { PredictionType } from '../../../base/contract/predictions.ts';
import { layoutOf } from '../../bodies/layout-of.ts';
import { modelServerProblem, modelServerStatuses } from '../model-server-problem.ts';
import type { Protocol } from '../protocol.ts';
import { describedReader, responsePaths } from './described-reader.ts';
import type { ProtocolDescription, RowDescription } from './description.ts';
import { modelHeaders, readyPath, requestPath } from './model-path.ts';
import { firstAt, listAt, pathsOf } from './pointers.ts';
import { readyQuestion } from './ready-question.ts';
import { parseIfJson } from './response-lines.ts';

/** The protocol that a description describes. */
export function describedProtocol(description: ProtocolDescription): Protocol {
  const { name, auth, request, errors, statuses, missing, maxBatchBytes } = description;
  const paths = responsePaths(description);
  const code = errors.code === undefined ? [] : pathsOf(errors.code);
  return {
    name,
    auth,
    maxBatchBytes,
    predictionType: predictionTypeOf(description.response.row),
    dependsOnBatch: true,
    statuses: { ...modelServerStatuses, ...statuses },
    ready(model) {
      const path = readyPath(description, model);
      return path === undefined ? undefined : readyQuestion(path, model);
    },
    predict: (model, { classes } = {}) => ({
      request: {
        method: 'POST',
        path: requestPath(request, model),
        template: request.path,
        headers: modelHeaders(request.headers ?? {}, model),
        ...(request.layout === 'json-lines' && { accept: 'application/jsonlines' }),
      },
      body: layoutOf({ layout: request.layout, body: request.body ?? ROWS }, missing),
      reader: () => describedReader(description, classes),
    }),
    problemOf: (_, body, responseHeaders) =>
      modelServerProblem(body, responseHeaders, members => ({
        code: codeOf(firstAt(members, code)),
        message: firstAt(members, paths.error),
      })),
    kindOf(body) {
      // A server says that it is ready with a blank line, a word, or an object.
      const whole = parseIfJson(body);
      if (listAt(whole, paths.rows) !== undefined) return 'predictions';
      return firstAt(whole, paths.error) === undefined ? 'description' : undefined;
    },
  };
}

/** What a description says of predictions: the names of classes and of several numbers come with the first response. */
function predictionTypeOf(row: RowDescription): PredictionType | undefined {
  if (row === 'any') return undefined;
  if (row.kind === 'label') return { kind: 'label' };
  return row.kind === 'number' ? { kind: 'numbers', names: [] } : undefined;
}

/** A body without anything around its rows. */
const ROWS = '$rows';

/** A code in the form of ours: MLflow has BAD_REQUEST. */
const codeOf = (code: unknown): unknown => (typeof code === 'string' ? code.toLowerCase() : code);
