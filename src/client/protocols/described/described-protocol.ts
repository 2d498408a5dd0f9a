import type { PredictionType } from '../../../base/contract/predictions.ts';
import { sanitize } from '../../../base/sanitize.ts';
import { layoutOf } from '../../bodies/layout-of.ts';
import { InvalidResponse, parseResponse } from '../../parse-response.ts';
import { checkCount } from '../collect-predictions.ts';
import { modelServerProblem, modelServerStatuses } from '../model-server-problem.ts';
import { type Expected, expectedClasses, type Protocol, type ResponseReader } from '../protocol.ts';
import type { ProtocolDescription, RowDescription } from './description.ts';
import { firstAt, listAt, pathOfPointer, pathsOf, valueAt } from './json-pointer.ts';
import { modelHeaders, readyPath, readyQuestion, requestPath } from './model-path.ts';
import { readPredictions } from './read-predictions.ts';
import { parseIfJson, rowsOfLines } from './response-lines.ts';
import { valueOfRow, withoutLabels } from './row-values.ts';

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

type Responses = Pick<ProtocolDescription, 'response' | 'errors'>;

/** Where the rows of a response are, and the error that it has in their place. */
function responsePaths({ response, errors }: Responses) {
  return {
    rows: pathsOf(response.rows),
    error: pathsOf(errors.message),
    classes: response.classes === undefined ? undefined : pathOfPointer(response.classes),
    index: response.index === undefined ? undefined : pathOfPointer(response.index),
    value: pathsOf(response.value ?? []),
  };
}

/**
 * A reader for the responses of a described protocol.
 *
 * @param named the classes that options or the model's description name
 */
export function describedReader(
  description: Responses,
  named: readonly string[] | undefined,
): ResponseReader {
  const paths = responsePaths(description);
  const { row: own, rows: where, lines: hasLines = false } = description.response;
  const described = own === 'any' ? undefined : own.kind;
  const within = own === 'any' ? undefined : pathOfPointer(own.at);
  const phrases = described === 'label' ? undefined : new Set<string>();
  const valueIn = (row: unknown, at: number): unknown => {
    if (within === undefined) return valueOfRow(firstAt(row, paths.value) ?? row);
    const value = row === null ? null : valueAt(row, within);
    if (value === undefined)
      throw new InvalidResponse(`prediction ${at + 1} has nothing at "${pointerText(within)}"`);
    return value;
  };
  return {
    read(body, expected) {
      const whole = hasLines ? parseIfJson(body) : parseResponse(body);
      const rows =
        listAt(whole, paths.rows) ??
        (hasLines && firstAt(whole, paths.error) === undefined
          ? rowsOfLines(body, expected.personas, phrases)
          : undefined);
      if (rows === undefined) throw noRows(whole, paths.error, [where].flat(), expected);
      checkCount(rows.length, expected.personas);
      if (paths.index !== undefined) checkOrder(rows, paths.index);
      const listed = paths.classes === undefined ? named : classesAt(whole, paths.classes);
      const inRows = rows.map(valueIn);
      const kind = described ?? expected.predictionType?.kind;
      const mayHaveLabels = kind !== 'numbers' && kind !== 'number' && described !== 'label';
      const values = mayHaveLabels ? withoutLabels(inRows, expectedClasses(expected) ?? listed) : inRows;
      return readPredictions({ values, described, listed }, expected);
    },
  };
}

/** A server may respond with status 200 to what has failed. */
function noRows(
  whole: unknown,
  error: ReturnType<typeof pathsOf>,
  where: readonly string[],
  { secrets }: Expected,
): InvalidResponse {
  const said = firstAt(whole, error);
  const isShown = typeof said === 'string' && !secrets?.areIn(said);
  return new InvalidResponse(
    isShown
      ? `the response has an error in place of predictions: ${sanitize(said)}`
      : `the response has no list at "${where.join('" or "')}"`,
  );
}

/** @throws InvalidResponse unless all rows that say which one they are, are in order */
function checkOrder(rows: readonly unknown[], index: readonly string[]): void {
  for (const [at, row] of rows.entries()) {
    const number = valueAt(row, index);
    if (number !== undefined && number !== at)
      throw new InvalidResponse(`prediction ${at + 1} is not that of row ${at + 1} of the request`);
  }
}

function classesAt(whole: unknown, path: readonly string[]): string[] {
  const listed = valueAt(whole, path);
  if (!Array.isArray(listed))
    throw new InvalidResponse(`the response has no list of classes at "${pointerText(path)}"`);
  return listed.map(String);
}

const pointerText = (path: readonly string[]): string =>
  sanitize(path.map(name => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''));
