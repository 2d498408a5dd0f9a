import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Secrets } from '../../src/client/secrets.ts';

describe('a secret', () => {
  const key = 'Kq7/x+"9vT\\2mWz-8LpRb4Ne';
  const secrets = new Secrets();
  secrets.addKey(key);
  const base64 = (text: string): string => Buffer.from(text).toString('base64');

  it('is found in a text, in part, and in each form in which a service may write it', () => {
    for (const text of [
      key,
      key.toUpperCase(),
      key.slice(0, 12),
      key.slice(-9),
      JSON.stringify({ key }),
      encodeURIComponent(key),
      Buffer.from(key).toString('hex').toUpperCase(),
      base64(key),
      base64(`user:${key}`),
      base64(`u:${key}`),
      base64(`us:${key}`),
      Buffer.from(`u:${key}`).toString('base64url'),
    ])
      assert.ok(secrets.areIn(`wrong key ${text}, try again`), text);
  });

  it('is not found in other texts', () => {
    for (const text of ['', 'wrong key', key.slice(0, 7), 'the column "tenure" is not a number: Kq7/x'])
      assert.ok(!secrets.areIn(text), text);
  });

  it('that is short counts as a whole, and the value of a header only from four characters on', () => {
    const short = new Secrets();
    short.addKey('abc');
    short.addValue('xyz');
    assert.deepEqual([short.areIn('x abc y'), short.areIn('xyz'), short.areIn('ab')], [true, false, false]);
  });
});
