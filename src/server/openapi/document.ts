import { MAX_PERSONAS } from '../../base/contract/limits.ts';
import { rowCountsTrailer } from '../../base/contract/row-counts-trailer.ts';
import type { ProblemCode } from '../../base/reference/problem-codes.ts';
import {
  csvSchema,
  everywhere,
  jsonLinesSchema,
  problems,
  ref,
  reportIdSchema,
  reportParameter,
  response,
  schemas,
  withKey,
} from './components.ts';

const ofBody = [
  'too_many_members',
  ...withKey,
  'no_such_report',
  'request_timeout',
  'damaged_report',
  'too_large',
  'unsupported_media_type',
  'unsupported_encoding',
] as const;

const json = (name: 'PersonaRequest' | 'BatchRequest') => ({
  required: true,
  description: 'May be compressed (Content-Encoding: gzip).',
  content: { 'application/json': { schema: ref(name) } },
});

/** Endpoints that score personas of a JSON body. */
const scorePaths = {
  '/user/persona': {
    post: {
      operationId: 'scorePersona',
      summary: 'Score one persona',
      description:
        'Values are parsed as the type that training detected for their column. Missing or null columns, unknown categories ' +
        'and invalid numbers are missing values. Columns that the report does not have are ignored. A value that is not of ' +
        'its column’s type, or a category that the model does not know, is named in warnings.',
      requestBody: json('PersonaRequest'),
      responses: {
        200: response(
          'A probability for each class, in single precision if the report was trained here. A report of numbers has a ' +
            'value, or several by name. Warnings, if there are any.',
          'application/json',
          ref('PersonaResponse'),
        ),
        ...problems([...ofBody, 'not_a_persona', 'unknown_columns', 'invalid_value', 'wrong_prediction']),
      },
    },
  },
  '/user/batch-persona': {
    post: {
      operationId: 'scoreBatch',
      summary: `Score up to ${MAX_PERSONAS.toLocaleString('en-US')} personas`,
      description:
        'The response has one prediction per persona, in the same order. A persona that cannot be scored gets an error ' +
        '(not_a_persona, unknown_columns, invalid_value, wrong_prediction); the others get their probabilities or numbers.',
      requestBody: json('BatchRequest'),
      responses: {
        200: response('A prediction or an error for each persona.', 'application/json', ref('BatchResponse')),
        ...problems([...ofBody, 'too_many_personas']),
      },
    },
  },
};

const ofUpload = [
  ...withKey,
  'bad_report_id',
  'empty_input',
  'unsupported_format',
  'bad_header',
  'unclosed_quote',
  'no_such_report',
  'damaged_report',
  'record_too_long',
  'too_many_columns',
  'unsupported_media_type',
  'unsupported_encoding',
  'missing_columns',
  'duplicate_columns',
  'request_timeout',
  'http_version',
] as const;

/** A response that announces its trailer. */
const withTrailer = (whole: ReturnType<typeof response>) => ({
  ...whole,
  headers: {
    ...whole.headers,
    Trailer: {
      description: 'The trailer after the rows.',
      required: true,
      schema: { const: rowCountsTrailer },
    },
  },
});

/** The endpoint that scores a file. */
const uploadPaths = {
  '/user/batch-predict': {
    post: {
      operationId: 'scoreFile',
      summary: 'Score a file of CSV or JSON lines',
      description:
        'Streams the rows back unchanged and in order, with one probability per class, or a number, appended, as a column ' +
        'or as a member. As multipart/form-data, the id must come before the file, whose name or content type says its format, ' +
        'or else its first bytes; otherwise the content type does, and the id is in the query. Blank lines are ' +
        'copied; malformed records are left out, and rows without a prediction have empty fields, or null as ' +
        'members. Parquet is refused, because it is read from its end: score the file with `rowcast score`. A trailer ' +
        'after the rows counts them: ' +
        `${rowCountsTrailer}: read=3, scored=2, rejected=1. If values are not of their column’s type, or are categories ` +
        'that the model does not know, it counts these too: mismatched=0, unseen=2. ' +
        'A failure after the first byte aborts the connection, ' +
        'so a response that ends properly is complete.',
      parameters: [{ ...reportParameter('query'), required: false }],
      requestBody: {
        required: true,
        description:
          'May be compressed (Content-Encoding: gzip). The file’s size is not limited; the size of a record is.',
        content: {
          'text/csv': { schema: csvSchema },
          'application/x-ndjson': { schema: jsonLinesSchema },
          'application/jsonl': { schema: jsonLinesSchema },
          'multipart/form-data': {
            schema: {
              type: 'object',
              properties: { id: reportIdSchema, file: { anyOf: [csvSchema, jsonLinesSchema] } },
              required: ['id', 'file'],
            },
          },
        },
      },
      responses: {
        200: withTrailer({
          ...response(
            'The rows with their predictions, in the format of the file, compressed with gzip if the request accepts it.',
            'text/csv',
            csvSchema,
          ),
          content: { 'text/csv': { schema: csvSchema }, 'application/x-ndjson': { schema: jsonLinesSchema } },
        }),
        ...problems(ofUpload),
      },
    },
  },
};

const ofReport = [...withKey, 'bad_report_id', 'no_such_report', 'damaged_report'] as const;

/** Endpoints that read a report. */
const reportPaths = {
  '/user/report/{id}': {
    get: {
      operationId: 'readReport',
      summary: 'A report: what it predicts, its tech specs, and its drivers with their impact',
      description:
        'A report that was trained has classes, or an empty list of numbers if it predicts a number, and quality and ' +
        'profile, which differ between the two. One that was imported says where its model comes from, in ' +
        'imported_from; if it predicts several numbers, their names are in numbers.',
      parameters: [reportParameter('path')],
      responses: { 200: response('The report.', 'application/json', ref('Report')), ...problems(ofReport) },
    },
  },
  '/user/testing-results/{id}': {
    get: {
      operationId: 'readTestingResults',
      summary: 'The rows that a report was tested on, with its predictions',
      parameters: [reportParameter('path')],
      responses: {
        200: response(
          'The columns of the testing set, then the actual class, the predicted class and a probability for each class, ' +
            'or the actual and the predicted number.',
          'text/csv',
          csvSchema,
        ),
        ...problems([...ofReport, 'no_testing_results']),
      },
    },
  },
};

const status = (word: string) => ({
  type: 'object',
  properties: { status: { const: word } },
  required: ['status'],
});

/** An endpoint without authentication. */
const open = (
  operationId: string,
  summary: string,
  ok: ReturnType<typeof response>,
  ...codes: ProblemCode[]
) => ({
  get: { operationId, summary, security: [], responses: { 200: ok, ...problems([...everywhere, ...codes]) } },
});

const publicPaths = {
  '/healthz': open(
    'isAlive',
    'Whether the service is alive',
    response('It is alive.', 'application/json', status('alive')),
  ),
  '/readyz': open(
    'isReady',
    'Whether the service accepts requests: not during shutdown, or while it cannot read its data directory',
    response('It is ready.', 'application/json', status('ready')),
    'draining',
    'home_unavailable',
  ),
  // Only `rowcast serve` has metrics.
  '/metrics': open(
    'readMetrics',
    'Metrics for Prometheus: counts and durations by route, without keys, reports or personas',
    response('The metrics.', 'text/plain', { type: 'string' }),
    'no_such_endpoint',
    'busy',
  ),
  '/openapi.json': open(
    'readOpenApi',
    'This document',
    response('This document.', 'application/json', { type: 'object' }),
    'busy',
  ),
};

/** The service's API as an OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.1). */
export const openApiDocument = {
  openapi: '3.1.1',
  info: {
    title: 'rowcast prediction service',
    version: '1',
    description:
      'Scores personas with reports that were trained or imported. Errors are application/problem+json (RFC 9457) with a stable code.',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  security: [{ ApiKey: [] }],
  paths: { ...scorePaths, ...uploadPaths, ...reportPaths, ...publicPaths },
  components: {
    schemas,
    securitySchemes: {
      ApiKey: {
        type: 'apiKey',
        in: 'header',
        name: 'Authorization',
        description: 'The scheme ApiKey, a space, and the key: `Authorization: ApiKey <key>`.',
      },
    },
  },
};
