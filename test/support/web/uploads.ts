import assert from 'node:assert/strict';
import { type ClientRequest, request } from 'node:http';
import type { DataMeta } from '../../../src/web/data/data-files.ts';
import type { SignedIn } from './platform.ts';

/** Sends a file to a path as a page does. */
export const sendTo = (
  browser: SignedIn,
  path: string,
  body: string | Uint8Array,
  name: string,
  headers: Record<string, string> = {},
): Promise<Response> =>
  browser.fetch(path, {
    method: 'POST',
    headers: {
      'content-type': 'application/octet-stream',
      'x-file-name': encodeURIComponent(name),
      ...headers,
    },
    body,
  });

/** Sends data as the page does. */
export const sendFile = (
  browser: SignedIn,
  body: string | Uint8Array,
  name = 'history.csv',
  headers?: Record<string, string>,
): Promise<Response> => sendTo(browser, '/platform/data', body, name, headers);

/** Uploads data that is valid. */
export async function upload(
  browser: SignedIn,
  body: string | Uint8Array,
  name = 'history.csv',
  headers: Record<string, string> = {},
): Promise<DataMeta> {
  const response = await sendFile(browser, body, name, headers);
  const text = await response.text();
  assert.equal(response.status, 201, text);
  return JSON.parse(text);
}

/** The problem document of a response. */
export async function problemOf(
  response: Response,
): Promise<{ status: number; code: string; detail: string; field?: string }> {
  assert.equal(response.headers.get('content-type'), 'application/problem+json');
  return (await response.json()) as { status: number; code: string; detail: string; field?: string };
}

/** Opens an upload that is sent piece by piece, and may break. */
export function slowUpload(
  { url, browser: { cookie, csrfToken } }: { url: string; browser: SignedIn },
  method: 'POST' | 'PUT',
  path: string,
): ClientRequest {
  const headers = { cookie, 'x-csrf-token': csrfToken, 'content-type': 'application/octet-stream' };
  const upload = request(url + path, { method, headers: { ...headers, 'x-file-name': 'a.csv' } });
  return upload.on('error', () => {});
}
