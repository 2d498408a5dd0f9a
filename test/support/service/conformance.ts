import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { problem } from '../../../src/base/contract/schemas.ts';
import { openApiDocument } from '../../../src/server/openapi/document.ts';

/** The part of an OpenAPI document that responses are validated against. */
interface Operation {
  responses: Record<string, DocumentedResponse | undefined>;
}
interface DocumentedResponse {
  headers?: Record<string, { required?: boolean; schema: object }>;
  content: Record<string, object | undefined>;
}

const paths: Record<string, Record<string, Operation>> = openApiDocument.paths;
const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addSchema(openApiDocument, 'openapi.json');

/**
 * Validates a response against the service's OpenAPI document: its status, media type and headers must be
 * listed, and its body must match the schema. A path or method that is not in the document must return a problem.
 */
export async function checkResponse(method: string, path: string, response: Response): Promise<void> {
  const asked = `${method} ${path} → ${response.status}`;
  assert.ok(response.headers.get('x-request-id'), `${asked}: without a request id`);
  const text = await response.text();
  const found = find(method === 'HEAD' ? 'GET' : method, path);
  if (found === undefined) {
    assert.ok(response.status >= 400, `${asked}: not in the document, but handled`);
    assert.equal(response.headers.get('content-type'), 'application/problem+json', asked);
    if (method !== 'HEAD') problem.parse(JSON.parse(text));
    return;
  }
  const { operation, pointer } = found;
  const documented = operation.responses[response.status];
  assert.ok(documented, `${asked}: status not in the document; ${text.slice(0, 200)}`);
  checkHeaders(documented, response, asked);
  if (method === 'HEAD') return;
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';');
  assert.ok(documented.content[type], `${asked}: media type not in the document: ${type}`);
  const schema = `${pointer}/responses/${response.status}/content/${escaped(type)}/schema`;
  const validate = validatorOf(schema);
  const isValid = validate(/[/+]json$/.test(type) ? JSON.parse(text) : text);
  assert.ok(isValid, `${asked}: ${ajv.errorsText(validate.errors)}: ${text.slice(0, 500)}`);
}

function checkHeaders(documented: DocumentedResponse, response: Response, asked: string): void {
  for (const [name, { required, schema }] of Object.entries(documented.headers ?? {})) {
    const value = response.headers.get(name);
    if (value === null) assert.ok(!required, `${asked}: without ${name}`);
    else assert.ok(ajv.validate(schema, value), `${asked}: ${name}: ${value}`);
  }
}

function find(method: string, path: string): { operation: Operation; pointer: string } | undefined {
  for (const [template, item] of Object.entries(paths)) {
    if (!new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(path)) continue;
    const operation = item[method.toLowerCase()];
    if (operation === undefined) return undefined;
    return { operation, pointer: `openapi.json#/paths/${escaped(template)}/${method.toLowerCase()}` };
  }
  return undefined;
}

/** A name as part of a JSON pointer in a URL (RFC 6901 sections 3 and 6). */
const escaped = (name: string): string =>
  encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));

function validatorOf(pointer: string): ValidateFunction {
  const validate = ajv.getSchema(pointer);
  assert.ok(validate, `there is nothing at ${pointer}`);
  return validate;
}
