import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { revokeKey } from '../../../src/server/auth/key-store.ts';
import { problemOf } from '../../support/service/client.ts';
import { until } from '../../support/until.ts';
import { allEvents, openEvents } from '../../support/web/events.ts';
import {
  type OwnedPlatform,
  type PlatformTarget,
  platformWithReports,
  type SignedIn,
  signInWithKey,
} from '../../support/web/platform.ts';
import { createdRun, filesOfRun } from '../../support/web/runs.ts';
import { slowUpload } from '../../support/web/uploads.ts';

/** A run whose file is arriving. */
async function scoring(at: OwnedPlatform) {
  const id = await createdRun(at.browser);
  const upload = slowUpload(at, 'PUT', `/platform/runs/${id}/input`);
  upload.write(`id,monthly amount,plan,__proto__\n${'p,1.5,Basic,2\n'.repeat(3_000)}`);
  const ended = once(upload, 'response');
  await until(async () => (await filesOfRun(at, id)).includes('input'), 'it is stored');
  return { id, ended, download: at.browser.fetch(`/platform/runs/${id}/output`) };
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
      const own = { ...target, browser };
      const { id, ended, download } = await scoring(own);
      const events = await openEvents(other, `/platform/runs/${id}/events`);
      const upload = slowUpload(own, 'POST', '/platform/data');
      upload.write('a,b\n1,2\n');
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
