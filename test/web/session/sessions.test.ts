import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { KeyRing } from '../../../src/server/auth/key-ring.ts';
import { addKey, keyHash, type NewKey, revokeKey } from '../../../src/server/auth/key-store.ts';
import { boundId, type Holder, Sessions, SignInTokens } from '../../../src/web/session/sessions.ts';
import { newFolder } from '../../support/folder.ts';
import { fetchChecked, problemOf } from '../../support/service/client.ts';
import { until } from '../../support/until.ts';
import { allEvents, openEvents } from '../../support/web/events.ts';
import {
  type OwnedPlatform,
  type PlatformTarget,
  platformWithReports,
  type SignedIn,
  servingPlatform,
  signInWithKey,
} from '../../support/web/platform.ts';
import { createdRun, filesOfRun } from '../../support/web/runs.ts';
import { slowUpload } from '../../support/web/uploads.ts';

const HOUR = 3_600_000;

async function opened(t: TestContext) {
  const home = await newFolder(t);
  const clock = { now: 0 };
  const sessions = new Sessions(new KeyRing({ home }), () => clock.now);
  t.after(() => sessions.close());
  const holderOf = async (name: string, grants: Partial<NewKey> = {}) => {
    const key = await addKey(home, name, { reports: 'all', scopes: ['platform'], ...grants });
    return { kind: 'key' as const, hash: keyHash(key) };
  };
  return { home, sessions, clock, holderOf };
}

/** Starts a session. @returns the bound id, by which it is found */
async function open(sessions: Sessions, holder: Holder): Promise<string | undefined> {
  const id = await sessions.open(holder, 'browser');
  return id && boundId(id, 'browser');
}

describe('sessions', () => {
  it('end when they are idle for four hours, and after sixteen in any case', async t => {
    const { sessions, clock } = await opened(t);
    const idle = await open(sessions, { kind: 'owner' });
    const busy = await open(sessions, { kind: 'owner' });
    const ended = (await sessions.find(idle))?.ended;
    for (clock.now = 0; clock.now < 16 * HOUR; clock.now += 3 * HOUR)
      assert.ok(await sessions.find(busy), `after ${clock.now / HOUR} h`);
    clock.now = 16 * HOUR;
    assert.equal(await sessions.find(busy), undefined);
    assert.equal(await sessions.find(idle), undefined);
    assert.ok(ended?.aborted);
    assert.equal(sessions.size, 0);
  });

  it('end with their key: revoked, expired, or without the scope', async t => {
    const { home, sessions, holderOf } = await opened(t);
    const now = Date.now;
    let later = 0;
    t.mock.method(Date, 'now', () => now() + later);
    const revoked = await open(sessions, await holderOf('revoked'));
    const short = await open(sessions, await holderOf('short', { expires: new Date(Date.now() + HOUR) }));
    const session = await sessions.find(revoked);
    assert.ok(session !== undefined && (await sessions.find(short)));
    await revokeKey(home, 'revoked');
    assert.equal(await sessions.find(revoked), undefined);
    assert.ok(session.ended.aborted);
    later = HOUR;
    assert.equal(await sessions.find(short), undefined);
    assert.equal(await open(sessions, await holderOf('api', { scopes: ['predict', 'report'] })), undefined);
    assert.equal(sessions.size, 0);
  });

  it('are swept, so that what is being sent to them ends too', async t => {
    const { home, sessions, holderOf } = await opened(t);
    const session = await sessions.find(await open(sessions, await holderOf('swept')));
    await revokeKey(home, 'swept');
    await sessions.sweep();
    assert.ok(session?.ended.aborted);
  });

  it('are limited: at most 20 of one key, the one idle for longest ends', async t => {
    const { sessions, holderOf } = await opened(t);
    const other = await open(sessions, { kind: 'owner' });
    const holder = await holderOf('many');
    const ids = [];
    for (let i = 0; i < 20; i++) ids.push(await open(sessions, holder));
    assert.ok(await sessions.find(ids[0]));
    ids.push(await open(sessions, holder));
    const alive = await Promise.all(ids.map(async id => (await sessions.find(id)) !== undefined));
    assert.deepEqual(
      alive.flatMap((isAlive, i) => (isAlive ? [] : [i])),
      [1],
    );
    assert.ok(await sessions.find(other));
  });

  it('are not found by an unknown id, nor after they were ended', async t => {
    const { sessions } = await opened(t);
    const id = await open(sessions, { kind: 'owner' });
    for (const wrong of [undefined, '', 'x', `${id}x`]) assert.equal(await sessions.find(wrong), undefined);
    sessions.end(id);
    assert.equal(await sessions.find(id), undefined);
  });
});

const MINUTE = 60_000;

describe('tokens of sign-in URLs', () => {
  it('are valid once', () => {
    const tokens = new SignInTokens();
    const [one, two] = [tokens.create(), tokens.create()];
    assert.notEqual(one, two);
    assert.deepEqual([tokens.take(one), tokens.take(one), tokens.take(two)], [true, false, true]);
    assert.ok(!tokens.take(''));
    assert.ok(!tokens.take('x'.repeat(43)));
  });

  it('expire after 15 minutes', () => {
    let now = 0;
    const tokens = new SignInTokens(() => now);
    const [early, late] = [tokens.create(), tokens.create()];
    now = 15 * MINUTE - 1;
    assert.ok(tokens.take(early));
    now++;
    assert.ok(!tokens.take(late));
  });

  it('do not accumulate', () => {
    const tokens = new SignInTokens();
    const made = Array.from({ length: 40 }, () => tokens.create());
    assert.equal(made.filter(token => tokens.take(token)).length, 16);
  });
});

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

describe('the limit of requests per second', () => {
  it('is one budget of a key, for the API and for the sessions that it has signed in', async t => {
    const target = await servingPlatform(t, { maxRequestsPerSecond: 1_000 });
    const browser = await signInWithKey(target, 'ann');
    const headers = { authorization: `ApiKey ${browser.key}` };
    let left: number[] = [];
    // Two requests that happen to be in two different seconds show nothing.
    for (let tries = 0; tries < 50 && new Set(left).size < 2; tries++) {
      const responses = await Promise.all([
        fetchChecked(`${target.url}/user/report/none`, { headers }),
        browser.fetch('/runs'),
      ]);
      left = responses.map(response => Number(response.headers.get('ratelimit-remaining') ?? 'none'));
    }
    assert.deepEqual(
      left.toSorted((a, b) => b - a),
      [Math.max(...left), Math.max(...left) - 1],
    );
  });

  it('refuses pages and what they call', async t => {
    const target = await servingPlatform(t, { maxRequestsPerSecond: 2 });
    const browser = await signInWithKey(target, 'ann');
    const responses = await Promise.all(
      Array.from({ length: 12 }, () => browser.fetch('/platform/runs/x/events')),
    );
    const refused = responses.filter(({ status }) => status === 429);
    assert.ok(refused.length > 0 && refused.length < responses.length, `${refused.length} are refused`);
    assert.equal(await problemOf(refused[0] ?? new Response()), '429 rate_limited');
    const pages = await Promise.all(
      Array.from({ length: 12 }, () => browser.fetch('/runs', { headers: { accept: 'text/html' } })),
    );
    const texts = await Promise.all(pages.filter(({ status }) => status === 429).map(page => page.text()));
    assert.match(texts[0] ?? '', /<h1>Too many requests<\/h1>[\s\S]*Wait a moment/);
  });
});
