import type { PredictionType } from '../../../base/contract/predictions.ts';
import { sanitize } from '../../../base/sanitize.ts';
import { layoutOf } from '../../bodies/layout-of.ts';
import { InvalidResponse, jsonText, parseResponse, parseResponseText } from '../../parse-response.ts';
import { checkCount } from '../collect-predictions.ts';
import { modelServerProblem, modelServerStatuses } from '../model-server-problem.ts';
import { type Expected, expectedClasses, type Protocol, type ResponseReader } from '../protocol.ts';
import type { ProtocolDescription, RowDescription } from './description.ts';
import { firstAt, listAt, pathOfPointer, pathsOf, valueAt } from './json-pointer.ts';
import { modelHeaders, readyPath, readyQuestion, requestPath } from './model-path.ts';
import { readPredictions } from './read-predictions.ts';
import { valueOfRow, withoutLabels } from './row-values.ts';

/** The protocol that a description describes. */
export function describedProtocol(description: ProtocolDescription): Protocol {
  const { name, auth, request, errors, missing, maxBatchBytes } = description;
  const paths = responsePaths(description);
  const code = errors.code === undefined ? [] : pathsOf(errors.code);
  return {
    name,
    auth,
    maxBatchBytes,
    predictionType: predictionTypeOf(description.response.row),
    dependsOnBatch: true,
    statuses: modelServerStatuses,
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

/** Parses a response; returns undefined if it is not JSON. */
function parseIfJson(body: Buffer): unknown {
  try {
    return parseResponse(body);
  } catch {
    return undefined;
  }
}

/**
 * The predictions of a response that has a line for each row: of JSON, or of CSV without a header. Some models respond
 * with all numbers on one line. Any text could be a label of CSV, so a response that begins as JSON or as a page does,
 * or that is not text, is none.
 *
 * @param personas the number of rows sent
 * @param phrases the labels of several words that earlier responses had; those of this one are added; undefined if each
 *   text is known to be a label
 * @returns for a record with several fields, a list
 * @throws InvalidResponse if it is neither JSON nor CSV, or for a single row, a text of several words that is no known
 *   label: errors are such a text
 */
export function rowsOfLines(body: Buffer, personas: number, phrases?: Set<string>): unknown[] {
  const rows = parseLines(body, personas);
  if (phrases === undefined) return rows;
  const own = rows.filter(isPhrase);
  if (personas === 1 && own.some(phrase => !phrases.has(phrase)))
    throw new InvalidResponse(
      'the response to a single row is a text of several words, like an error; if it is a label, say so with --protocol custom',
    );
  if (rows.length === personas && phrases.size < MAX_PHRASES) for (const phrase of own) phrases.add(phrase);
  return rows;
}

/** A model has far fewer labels. */
const MAX_PHRASES = 10_000;

const isPhrase = (value: unknown): value is string => typeof value === 'string' && /\S\s+\S/.test(value);

function parseLines(body: Buffer, personas: number): unknown[] {
  const text = jsonText(body);
  const lines = text.split('\n').filter(line => line.trim() !== '');
  try {
    return lines.map(parseResponseText);
  } catch {
    if (NOT_CSV.some(pattern => pattern.test(text))) throw neither();
  }
  const records = lines.map(fieldsOf);
  const [first = []] = records;
  const isOneLine = records.length === 1 && personas > 1 && first.length === personas;
  if (isOneLine && first.every(value => typeof value !== 'string')) return first;
  return records.map(fields => (fields.length === 1 ? fields[0] : fields));
}

const neither = (): InvalidResponse => new InvalidResponse('the response is neither JSON nor CSV');

/** What a page begins with, a line of JSON, and what no text has, or what was not UTF-8. */
const NOT_CSV = [
  /^\uFEFF?\s*<[a-z!?/]/i,
  /^\s*[[{]/m,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f\uFFFD]/,
];

/** A field with what ends it, in quotes or not. */
const FIELD = /[ \t]*(?:"([^"]*(?:""[^"]*)*)"[ \t]*|([^",]*))(,|\r?$)/y;

/** The values of a record. @throws InvalidResponse if it is not CSV */
function fieldsOf(line: string): unknown[] {
  const values: unknown[] = [];
  FIELD.lastIndex = 0;
  for (;;) {
    const [, quoted, plain, end] = FIELD.exec(line) ?? [];
    if (end === undefined) throw neither();
    values.push(valueIn(quoted?.replaceAll('""', '"') ?? plain));
    if (end !== ',') return values;
  }
}

/** A field as JSON would have it: a number, a text, or null if it is missing. */
function valueIn(field = ''): unknown {
  const text = field.trim();
  if (text === '' || text === 'NaN' || text === 'nan') return null;
  return NUMBER.test(text) ? Number(text) : text;
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
