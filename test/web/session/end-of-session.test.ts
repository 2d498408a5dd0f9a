import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { revokeKey } from '../../../src/server/auth/key-store.ts';
import { problemOf } from '../../support/service/client.ts';
import { allEvents, openEvents } from '../../support/web/events.ts';
import {
  type PlatformTarget,
  platformWithReports,
  type SignedIn,
  signInWithKey,
} from '../../support/web/platform.ts';

/** An upload that has begun and never ends by itself. */
function begin(url: string, { cookie, csrfToken }: SignedIn, method: string, beginning: string) {
  const headers = { cookie, 'x-csrf-token': csrfToken, 'x-file-name': 'a.csv' };
  const upload = request(url, {
    method,
    headers: { ...headers, 'content-type': 'application/octet-stream' },
  });
  upload.on('error', () => {});
  upload.write(beginning);
  return upload;
}

/** A run whose file is arriving. */
async function scoring({ url, home }: PlatformTarget, browser: SignedIn) {
  const created = await browser.fetch('/platform/runs', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ report: 'one', file: 'a.csv' }),
  });
  const { id } = (await created.json()) as { id: string };
  const rows = 'p,1.5,Basic,2\n'.repeat(3_000);
  const upload = begin(
    `${url}/platform/runs/${id}/input`,
    browser,
    'PUT',
    `id,monthly amount,plan,__proto__\n${rows}`,
  );
  const ended = once(upload, 'response');
  await until(async () =>
    (await readdir(join(home, 'runs', id)).catch((): string[] => [])).includes('input'),
  );
  const download = browser.fetch(`/platform/runs/${id}/output`);
  return { id, ended, download };
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await condition()); tries++) {
    assert.ok(tries < 3_000, 'it has not happened');
    await sleep(20);
  }
}

const endings: [what: string, end: (target: PlatformTarget, browser: SignedIn) => Promise<unknown>][] = [
  ['its user signs out', (_, browser) => browser.submit('/platform/sign-out')],
  [
    'its key is revoked',
    async ({ home }, browser) => {
      await revokeKey(home, 'ann');
      await browser.fetch('/runs');
    },
  ],
  [
    'its key loses a report',
    async ({ home }, browser) => {
      const file = join(home, 'keys', 'ann.json');
      await writeFile(
        file,
        JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), reports: ['two'] }),
      );
      await until(async () => (await browser.fetch('/runs')).status === 401);
    },
  ],
];

describe('a session that ends', () => {
  for (const [what, end] of endings)
    it(`ends its uploads, runs and downloads: ${what}`, async t => {
      const { browser: other, ...target } = await platformWithReports(t);
      const browser = await signInWithKey(target, 'ann');
      const { id, ended, download } = await scoring(target, browser);
      const events = await openEvents(other, `/platform/runs/${id}/events`);
      const upload = begin(`${target.url}/platform/data`, browser, 'POST', 'a,b\n1,2\n');
      const refused = once(upload, 'response');
      await until(async () => (await readdir(join(target.home, 'data')).catch(() => [])).length > 0);
      await end(target, browser);
      assert.equal(await problemOf(await download), '404 no_output');
      const [answer] = await ended;
      answer.resume();
      const last = (await allEvents(events)).at(-1)?.data as { status: string; problem: { message: string } };
      assert.match(`${last.status}: ${last.problem.message}`, /^failed: .*the session has ended/i);
      const [{ statusCode }] = await refused;
      assert.equal(statusCode, 401);
      await until(async () => (await readdir(join(target.home, 'data'))).length === 0);
      // Other sessions go on.
      assert.match(await other.page('/runs'), new RegExp(`run-${id}`));
    });
});
