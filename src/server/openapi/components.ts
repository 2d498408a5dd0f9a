import { STATUS_CODES } from 'node:http';
import * as z from 'zod';
import * as shapes from '../../base/contract/schemas.ts';
import type { ProblemCode } from '../../base/reference/problem-codes.ts';
import { problemType, statusOf } from '../problems/problems.ts';

/** The schemas that requests are validated against, and those of the responses. */
export const schemas = {
  PersonaRequest: jsonSchema(shapes.personaRequest, 'input'),
  PersonaResponse: jsonSchema(shapes.personaResponse, 'output'),
  BatchRequest: jsonSchema(shapes.batchRequest, 'input'),
  BatchResponse: jsonSchema(shapes.batchResponse, 'output'),
  Report: jsonSchema(shapes.reportResponse, 'output'),
  Problem: jsonSchema(shapes.problem, 'output'),
};

/** OpenAPI 3.1 uses the same JSON Schema dialect as zod, 2020-12. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
}

export const reportIdSchema = jsonSchema(shapes.reportId, 'input');

export const ref = (name: keyof typeof schemas) => ({ $ref: `#/components/schemas/${name}` });

/** A response with a body. */
export function response(description: string, type: string, schema: object) {
  return { description, headers: { 'X-Request-Id': requestId }, content: { [type]: { schema } } };
}

const requestId = {
  description: 'The request’s id in the service’s log: the X-Request-Id of the request, or a new one.',
  schema: { type: 'string' },
};

const headersOf: Partial<Record<ProblemCode, Record<string, object>>> = {
  unauthorized: {
    'WWW-Authenticate': {
      description: 'The authentication scheme.',
      required: true,
      schema: { const: 'ApiKey' },
    },
  },
  rate_limited: { 'Retry-After': seconds() },
  draining: { 'Retry-After': seconds() },
  home_unavailable: { 'Retry-After': seconds() },
  busy: { 'Retry-After': seconds() },
};

function seconds() {
  return {
    description: 'Seconds to wait before retrying.',
    required: true,
    schema: { type: 'string', pattern: '^\\d+$' },
  };
}

/** The error responses of an endpoint: one per status, which lists the codes. */
export function problems(codes: readonly ProblemCode[]) {
  const statuses = [...new Set(codes.map(statusOf))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map(status => {
      const own = codes.filter(code => statusOf(code) === status);
      return [
        status,
        {
          description: `${STATUS_CODES[status]}: ${own.join(', ')}`,
          headers: Object.assign({ 'X-Request-Id': requestId }, ...own.map(code => headersOf[code])),
          content: {
            [problemType]: {
              schema: {
                allOf: [ref('Problem'), { properties: { status: { const: status }, code: { enum: own } } }],
              },
            },
          },
        },
      ];
    }),
  );
}

export const reportParameter = (where: 'path' | 'query') => ({
  name: 'id',
  in: where,
  required: true,
  description: 'The report’s id.',
  schema: reportIdSchema,
});

export const csvSchema = { type: 'string', description: 'CSV in UTF-8, with a header line.' };

export const jsonLinesSchema = {
  type: 'string',
  description: 'JSON lines: an object on each line, in UTF-8.',
};

/** The problems that every endpoint may respond with, and those of endpoints that need a key. */
export const everywhere = [
  'malformed',
  'wrong_host',
  'headers_too_large',
  'internal',
  'unsupported_transfer_encoding',
] as const satisfies ProblemCode[];
export const withKey = [
  ...everywhere,
  'unauthorized',
  'missing_scope',
  'rate_limited',
  'busy',
  'draining',
  'home_unavailable',
] as const;
