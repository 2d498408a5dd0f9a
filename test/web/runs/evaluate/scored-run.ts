import assert from 'node:assert/strict';
import type { SignedIn } from '../../../support/web/platform.ts';

/** Scores a file on the platform. @returns the id of the run */
export async function scoredRun(
  browser: SignedIn,
  content: string | Buffer,
  { report = 'one', file = 'personas.csv', status = 'finished' } = {},
): Promise<string> {
  const created = await browser.fetch('/platform/runs', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ report, file }),
  });
  const { id } = JSON.parse(await created.text());
  const run = await browser.fetch(`/platform/runs/${id}/input`, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream' },
    body: content,
  });
  const text = await run.text();
  assert.equal(JSON.parse(text).status, status, text);
  return id;
}
