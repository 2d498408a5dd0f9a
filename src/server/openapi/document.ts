import { accountsTrailer } from '../../contract/accounts-trailer.ts';
import { MAX_PERSONAS } from '../../contract/limits.ts';
import type { ProblemCode } from '../problems/problems.ts';
import { problems, ref, reportId, response, schemas } from './components.ts';

const everywhere = [
  'malformed',
  'wrong_host',
  'headers_too_large',
  'internal',
] as const satisfies ProblemCode[];
const withKey = [...everywhere, 'unauthorized', 'missing_scope', 'rate_limited', 'busy', 'draining'] as const;
const ofReport = [...withKey, 'bad_report_id', 'no_such_report', 'damaged_report'] as const;
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

const ofUpload = [
  ...withKey,
  'bad_report_id',
  'empty_input',
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

const reportParameter = (where: 'path' | 'query') => ({
  name: 'id',
  in: where,
  required: true,
  description: 'The report’s id.',
  schema: reportId,
});

/** An answer that says which trailer it ends in. */
const withTrailer = (whole: ReturnType<typeof response>) => ({
  ...whole,
  headers: {
    ...whole.headers,
    Trailer: {
      description: 'What comes behind the rows.',
      required: true,
      schema: { const: accountsTrailer },
    },
  },
});

const csv = { type: 'string', description: 'UTF-8 CSV under a header.' };
const status = (word: string) => ({
  type: 'object',
  properties: { status: { const: word } },
  required: ['status'],
});
const json = (name: 'PersonaRequest' | 'BatchRequest') => ({
  required: true,
  description: 'May be sent with Content-Encoding: gzip.',
  content: { 'application/json': { schema: ref(name) } },
});

const predicting = {
  '/user/persona': {
    post: {
      operationId: 'scorePersona',
      summary: 'One persona’s probabilities',
      description:
        'Values are taken as the column’s learned type. A column that is missing or null, a category that was not ' +
        'learned and a number that is none are missing values; columns that the report does not have are ignored.',
      requestBody: json('PersonaRequest'),
      responses: {
        200: response('A probability for each class.', 'application/json', ref('PersonaResponse')),
        ...problems([...ofBody, 'not_a_persona', 'unknown_columns', 'invalid_value']),
      },
    },
  },
  '/user/batch-persona': {
    post: {
      operationId: 'scoreBatch',
      summary: `The probabilities of up to ${MAX_PERSONAS.toLocaleString('en-US')} personas`,
      description:
        'As many predictions as personas, in their order. A persona that cannot be scored has an error in its place ' +
        '(not_a_persona, unknown_columns, invalid_value), and the others their probabilities.',
      requestBody: json('BatchRequest'),
      responses: {
        200: response('A prediction or an error for each persona.', 'application/json', ref('BatchResponse')),
        ...problems([...ofBody, 'too_many_personas']),
      },
    },
  },
  '/user/batch-predict': {
    post: {
      operationId: 'scoreFile',
      summary: 'A CSV with a probability for each class',
      description:
        'The rows come back as they came, in their order and streamed, with one probability column a class. As ' +
        'multipart/form-data, the id comes before the file; as text/csv, it is in the query. Blank lines are copied; ' +
        'a malformed record is left out. The accounts come behind the rows, as a trailer: ' +
        `${accountsTrailer}: read=3, scored=2, rejected=1. What fails after the first byte breaks the connection off, ` +
        'so an answer that comes to its proper end is whole.',
      parameters: [{ ...reportParameter('query'), required: false }],
      requestBody: {
        required: true,
        description:
          'May be sent with Content-Encoding: gzip, and is as large as it likes; its records are not.',
        content: {
          'text/csv': { schema: csv },
          'multipart/form-data': {
            schema: {
              type: 'object',
              properties: { id: reportId, file: csv },
              required: ['id', 'file'],
            },
          },
        },
      },
      responses: {
        200: withTrailer(
          response('The CSV with its probabilities, in gzip where that is accepted.', 'text/csv', csv),
        ),
        ...problems(ofUpload),
      },
    },
  },
};

const reading = {
  '/user/report/{id}': {
    get: {
      operationId: 'readReport',
      summary: 'What a report predicts: tech specs, drivers and their impact',
      parameters: [reportParameter('path')],
      responses: { 200: response('The report.', 'application/json', ref('Report')), ...problems(ofReport) },
    },
  },
  '/user/testing-results/{id}': {
    get: {
      operationId: 'readTestingResults',
      summary: 'The rows that a report was tested on, and what it said of them',
      parameters: [reportParameter('path')],
      responses: {
        200: response(
          'The testing set’s columns, then the actual class, the predicted one, a probability for each class.',
          'text/csv',
          csv,
        ),
        ...problems(ofReport),
      },
    },
  },
};

/** Without a key. */
const open = {
  '/healthz': {
    get: {
      operationId: 'isAlive',
      summary: 'Whether the service runs',
      security: [],
      responses: {
        200: response('It does.', 'application/json', status('alive')),
        ...problems(everywhere),
      },
    },
  },
  '/readyz': {
    get: {
      operationId: 'isReady',
      summary: 'Whether the service takes requests: not while it shuts down or cannot read its reports',
      security: [],
      responses: {
        200: response('It does.', 'application/json', status('ready')),
        ...problems([...everywhere, 'draining', 'home_unavailable']),
      },
    },
  },
  '/metrics': {
    get: {
      operationId: 'readMetrics',
      summary: 'Metrics for Prometheus: counts and durations by route, nothing of keys, reports or personas',
      security: [],
      responses: {
        200: response('The metrics.', 'text/plain', { type: 'string' }),
        // The service in a command's own process does not count.
        ...problems([...everywhere, 'no_such_endpoint']),
      },
    },
  },
  '/openapi.json': {
    get: {
      operationId: 'readOpenApi',
      summary: 'This document',
      security: [],
      responses: {
        200: response('This document.', 'application/json', { type: 'object' }),
        ...problems(everywhere),
      },
    },
  },
};

/** What the service speaks, as OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1). */
export const openApiDocument = {
  openapi: '3.1.1',
  info: {
    title: 'rowcast prediction service',
    version: '1',
    description:
      'Scores personas with trained reports. Errors are application/problem+json (RFC 9457) with a stable code.',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  security: [{ ApiKey: [] }],
  paths: { ...predicting, ...reading, ...open },
  components: {
    schemas,
    securitySchemes: {
      ApiKey: {
        type: 'apiKey',
        in: 'header',
        name: 'Authorization',
        description: 'ApiKey, a blank, then the key: `Authorization: ApiKey <key>`.',
      },
    },
  },
};
