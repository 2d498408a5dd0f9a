import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TokenKey } from '../../../../src/library/service/cloud/token-key.ts';

describe('a token of a cloud', () => {
  it('is that of now, and is asked for again once when several requests were refused', async () => {
    let opened = 0;
    const key = new TokenKey(() => {
      opened++;
      const token = `token-${opened}`;
      return async () => token;
    });
    assert.equal(key.current(), '');
    assert.deepEqual(await key.headersFor(), { authorization: 'Bearer token-1' });
    const replaced = await Promise.all([1, 2, 3].map(() => key.isReplaced('token-1')));
    assert.deepEqual([replaced, opened], [[true, true, true], 2]);
    assert.deepEqual(await key.headersFor(), { authorization: 'Bearer token-2' });
  });

  it('that nobody gives is reported with the first line of the reason', async () => {
    const key = new TokenKey(() => async () => {
      throw new Error('no account\nlog in');
    });
    await assert.rejects(key.headersFor(), { name: 'NoCredentials', message: 'no account' });
  });
});
