import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { progressLine } from '../../src/cli/progress.ts';
import { accountsOf } from '../../src/pipeline/accounts.ts';

describe('the line of progress', () => {
  const accounts = { ...accountsOf(undefined), scored: 1_250_000 };

  it('says how many rows, how fast, how far and how long still', () => {
    assert.equal(progressLine(accounts, 0.31, 5), '1,250,000 rows  250,000 rows/s  31 %  about 12 s left');
    assert.match(progressLine(accounts, 0.0031, 5), /0 % {2}about 27 min left$/);
    assert.match(progressLine(accounts, 0.00031, 5), /about 4\.5 h left$/);
    assert.match(progressLine(accounts, 1, 5), /100 % {2}about 0 s left$/);
  });

  it('says only what is known: a pipe has no size', () => {
    assert.equal(progressLine(accounts, undefined, 5), '1,250,000 rows  250,000 rows/s');
    assert.equal(progressLine(accounts, 0, 5), '1,250,000 rows  250,000 rows/s');
  });
});
