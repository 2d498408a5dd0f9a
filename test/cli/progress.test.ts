import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeAccounts, progressLine } from '../../src/cli/progress.ts';
import { newAccounts } from '../../src/pipeline/accounts.ts';

describe('the line of progress', () => {
  const accounts = { ...newAccounts(), scored: 1_250_000, bytesIn: 310 };

  it('says how many rows, how fast, how far and how long still', () => {
    assert.equal(progressLine(accounts, 1000, 5), '1,250,000 rows  250,000 rows/s  31 %  about 12 s left');
    assert.match(progressLine(accounts, 100_000, 5), /0 % {2}about 27 min left$/);
    assert.match(progressLine(accounts, 1_000_000, 5), /about 4\.5 h left$/);
  });

  it('says only what is known: a pipe has no size', () => {
    assert.equal(progressLine(accounts, undefined, 5), '1,250,000 rows  250,000 rows/s');
    assert.equal(progressLine({ ...accounts, bytesIn: 0 }, 1000, 5), '1,250,000 rows  250,000 rows/s');
  });

  it('is never beyond the end, where a file has grown meanwhile', () => {
    assert.match(progressLine({ ...accounts, bytesIn: 3000 }, 1000, 5), /100 % {2}about 0 s left$/);
  });
});

describe('the accounts in a sentence', () => {
  it('name rejects and blank lines where there are any', () => {
    assert.equal(describeAccounts({ ...newAccounts(), scored: 1 }, 2), '1 row scored in 2.0 s, 1 rows/s');
    assert.equal(
      describeAccounts({ ...newAccounts(), scored: 3000, rejected: 2, blank: 1 }, 2),
      '3,000 rows scored, 2 rejected, 1 blank lines copied in 2.0 s, 1,500 rows/s',
    );
    assert.equal(describeAccounts(newAccounts(), 0), '0 rows scored in 0.0 s');
  });
});
