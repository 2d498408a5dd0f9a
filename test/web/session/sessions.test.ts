import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { KeyRing } from '../../../src/server/auth/key-ring.ts';
import { addKey, keyHash, type NewKey, revokeKey } from '../../../src/server/auth/key-store.ts';
import { boundId, type Holder, Sessions } from '../../../src/web/session/sessions.ts';
import { newFolder } from '../../support/folder.ts';

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
