import assert from 'node:assert/strict';
import { problem } from '../../../src/base/contract/schemas.ts';
import { checkResponse } from './conformance.ts';

/** A service to call. */
export interface Target {
  url: string;
  key: string;
}

/** Sends a request and validates the response against the service's OpenAPI document. */
export async function fetchChecked(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init);
  await checkResponse(init.method ?? 'GET', new URL(url).pathname, response.clone());
  return response;
}

export function get({ url, key }: Target, path: string): Promise<Response> {
  return fetchChecked(url + path, { headers: { authorization: `ApiKey ${key}` } });
}

export function post(
  { url, key }: Target,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetchChecked(url + path, {
    method: 'POST',
    headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
  });
}

/** Status and code of a problem, as `404 no_such_report`. */
export async function problemOf(response: Response): Promise<string> {
  assert.equal(response.headers.get('content-type'), 'application/problem+json');
  const body = problem.parse(await response.json());
  assert.equal(body.status, response.status);
  return `${body.status} ${body.code}`;
}
