import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DiskQuota, Space } from '../../src/web/quota.ts';
import { OWNER } from '../../src/web/session/sessions.ts';

describe('the disk space of the platform', () => {
  it('is what was reserved for a thing, and then what the thing has', () => {
    const quota = new DiskQuota(100_000);
    const space = new Space(quota, 'The output');
    space.begin('a', OWNER);
    space.cover('a', 70_000);
    space.cover('a', 60_000);
    assert.equal(quota.used, 70_000);
    space.set('a', 5_000);
    assert.equal(quota.used, 5_000);
  });

  it('is released once, however often a thing is deleted', () => {
    const quota = new DiskQuota(100_000);
    const space = new Space(quota, 'The output');
    for (const [id, bytes] of [['kept', 4_000] as const, ['removed', 6_000] as const]) {
      space.begin(id, 'ann');
      space.set(id, bytes);
    }
    for (let deletion = 0; deletion < 3; deletion++) space.release('removed');
    assert.equal(quota.used, 4_000);
  });

  it('is not counted again by what goes on while it is deleted', () => {
    const quota = new DiskQuota(100_000);
    const space = new Space(quota, 'The output');
    space.begin('a', 'ann');
    space.cover('a', 3_000);
    space.release('a');
    space.cover('a', 5_000);
    space.set('a', 6_000);
    assert.deepEqual([quota.used, quota.freeFor('ann')], [0, 50_000]);
  });

  it('may all be used by the owner of the service', () => {
    const space = new Space(new DiskQuota(900), 'The file');
    space.begin('a', OWNER);
    space.cover('a', 900);
    assert.throws(() => space.cover('a', 901), {
      code: 'quota_exceeded',
      message: /^The file does not fit: 0 bytes of 900 bytes are free\. Delete/,
    });
  });

  it('is shared: a key may hold at most as much as it leaves free, in all its data, runs and reports', () => {
    const quota = new DiskQuota(900);
    const [data, runs] = [new Space(quota, 'The file'), new Space(quota, 'The output')];
    data.begin('a', 'ann');
    runs.begin('a', 'ann');
    data.cover('a', 400);
    runs.cover('a', 50);
    assert.throws(() => runs.cover('a', 51), { code: 'quota_exceeded', message: /0 bytes .* for your key/ });
    assert.throws(() => data.check('ann', 1), { code: 'quota_exceeded' });
    // Of what ann leaves, bob may take half, and she gets no more room by that.
    data.check('bob', 225);
    assert.throws(() => data.check('bob', 226), { code: 'quota_exceeded' });
    data.begin('b', 'bob');
    data.cover('b', 225);
    assert.throws(() => data.cover('a', 401), { code: 'quota_exceeded' });
    data.check(OWNER, 225);
    data.release('a');
    data.check('ann', 287);
    assert.equal(quota.used, 275);
  });

  it('is for a limited number of things, of which a key may have at most as many as it leaves free', () => {
    const space = new Space(new DiskQuota(100_000), 'The file', { most: 10, called: 'uploaded files' });
    let count = 0;
    const add = (by: string): void => {
      space.check(by, 1);
      space.begin(`${count++}`, by);
    };
    for (let i = 0; i < 5; i++) add('ann');
    assert.throws(() => add('ann'), {
      code: 'quota_exceeded',
      message: /^There are 5 of at most 10 uploaded files; 5 are of your key/,
    });
    for (let i = 0; i < 3; i++) add('bob');
    assert.throws(() => add('bob'), { code: 'quota_exceeded' });
    for (let i = 0; i < 2; i++) add(OWNER);
    assert.throws(() => add(OWNER), {
      message: 'There are 10 of at most 10 uploaded files. Delete those that are no longer needed.',
    });
    space.release('0');
    add(OWNER);
  });
});
