import * as z from 'zod';
import type { JsonValue } from '../../../base/contract/schemas.ts';
import { isOfLines, layoutOf } from '../../bodies/layout-of.ts';
import type { DescribedKind, ProtocolDescription, RowDescription } from './description.ts';
import { isPointer } from './json-pointer.ts';

/** The description of a protocol as a definition has it. */
export function customDescription({ request, response, errors, ready }: CustomProtocol): ProtocolDescription {
  const { rows, row = {}, classes } = response;
  return {
    name: 'custom',
    speaks: 'any server with these shapes',
    auth: 'none',
    request,
    response: { rows, lines: isOfLines(request.layout), row: rowOf(row), classes },
    errors: errors === undefined ? { message: DEFAULT_MESSAGES } : withoutUndefined(errors),
    ready,
    missing: request.layout.startsWith('csv') ? 'empty' : 'null',
  };
}

/** Where servers usually have the message of an error. */
const DEFAULT_MESSAGES = ['/detail', '/message', '/error/message', '/error'];

function rowOf(row: Partial<Record<DescribedKind, string | undefined>>): RowDescription {
  for (const kind of kinds) {
    const at = row[kind];
    if (at !== undefined) return { kind, at };
  }
  return 'any';
}

const withoutUndefined = ({ message, code }: { message: string; code?: string | undefined }) =>
  code === undefined ? { message } : { message, code };

const EXAMPLE = 'such as /result/predictions; a name within it follows a slash, and the whole response is ""';
const pointer = z.string().refine(isPointer, { error: `expected a JSON Pointer, ${EXAMPLE}` });

/** A path is within the URL of the service, and what identifies who asks is not part of a definition. */
const path = z
  .string()
  .regex(/^\/[\x21-\x7e]*$/, { error: 'expected a path that begins with a slash', abort: true })
  .refine(text => !/[?#]/.test(text), {
    error: 'expected a path without a query, which has a key of its own',
  });

/** Names of parameters and headers that carry, or probably carry, a secret. */
const SECRET = /key|token|secret|password|credential|signature|authorization|cookie/i;
/** Headers that the client sends itself (RFC 9110). */
const OWN =
  /^(host|connection|content-.*|transfer-encoding|accept|accept-encoding|te|upgrade|expect|x-request-id|traceparent)$/i;

const query = z.record(z.string(), z.string()).check(({ value, issues }) => {
  for (const name of Object.keys(value))
    if (SECRET.test(name)) issues.push({ ...problem(name), message: secretIn('a query, which is logged') });
});

const headers = z.record(z.string(), z.string()).check(({ value, issues }) => {
  for (const [name, text] of Object.entries(value)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\x20-\x7e]*$/.test(text))
      issues.push({ ...problem(name), message: 'not a header that can be sent' });
    else if (OWN.test(name)) issues.push({ ...problem(name), message: 'this header is set by rowcast' });
    else if (SECRET.test(name))
      issues.push({
        ...problem(name),
        message: secretIn('a definition; use api-key-env and auth, or header-env'),
      });
  }
});

const secretIn = (where: string): string => `this may be a secret, which must not be in ${where}`;

/** What the validator calls an issue that is not one of its own. */
const OWN_CHECK = 'custom' as const;

/** An issue with a member, whose value is not shown: it may be a secret. */
const problem = (name: string) => ({ code: OWN_CHECK, input: name, path: [name] });

const jsonValue: z.ZodType<JsonValue> = z.json();

const request = z
  .strictObject({
    path: path.describe('path of the request; {model} is replaced by the report'),
    query: query.optional().describe('parameters that all requests have'),
    headers: headers.optional().describe('headers that all requests have; no secrets'),
    layout: z
      .enum(['objects', 'arrays', 'columns', 'csv', 'csv-without-header', 'json-lines'])
      .describe('how rows are written'),
    body: jsonValue.optional().describe('the body around $rows and $columns; by default only the rows'),
  })
  .check(({ value, issues }) => {
    try {
      layoutOf({ layout: value.layout, body: value.body ?? '$rows' }, 'null');
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      issues.push({ code: OWN_CHECK, input: value.body, path: ['body'], message });
    }
  });

const kinds = ['probabilities', 'label', 'number', 'numbers'] as const;

const row = z
  .strictObject({
    probabilities: pointer.optional().describe('an object by class, or a list'),
    label: pointer.optional(),
    number: pointer.optional(),
    numbers: pointer.optional().describe('an object with several numbers by name'),
  })
  .check(({ value, issues }) => {
    const given = kinds.filter(kind => value[kind] !== undefined);
    if (given.length !== 1)
      issues.push({
        code: OWN_CHECK,
        input: value,
        path: [],
        message: `expected one of ${kinds.join(', ')}`,
      });
  });

const response = z.strictObject({
  rows: pointer.describe('JSON Pointer to the list of predictions'),
  row: row
    .optional()
    .describe('JSON Pointer, within a row, to what is predicted; by default, the row itself, by its shape'),
  classes: pointer.optional().describe('JSON Pointer to a list with the names of the classes'),
});

/** The description of a protocol in a definition: `service.custom`. */
export const customShape = z.strictObject({
  request,
  response,
  errors: z
    .strictObject({
      message: pointer.describe('JSON Pointer to the message in the body of an error'),
      code: pointer.optional(),
    })
    .optional(),
  ready: path.optional().describe('path at which the server says that it is ready'),
});
export type CustomProtocol = z.infer<typeof customShape>;
