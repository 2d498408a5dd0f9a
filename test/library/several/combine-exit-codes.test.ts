import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  codeOfFile,
  combineExitCodes,
  totalStatus,
} from '../../../src/library/several/combine-exit-codes.ts';

it('the exit code of several files is the first that applies of 4, 70, 3, 75, and else that of the rows', () => {
  assert.equal(combineExitCodes([75, 3, 70, 4], 0), 4);
  assert.equal(combineExitCodes([75, 3, 70], 0), 70);
  assert.equal(combineExitCodes([75, 3], 1), 3);
  assert.equal(combineExitCodes([75], 1), 75);
  assert.equal(combineExitCodes([], 1), 1);
  assert.equal(combineExitCodes([], 0), 0);
});

it('a file that is refused does not refuse the others', () => {
  assert.deepEqual([2, 3, 75].map(codeOfFile), [3, 3, 75]);
});

it('several files are finished or skipped if all are', () => {
  assert.equal(totalStatus(['finished', 'skipped']), 'finished');
  assert.equal(totalStatus(['skipped', 'skipped']), 'skipped');
  assert.equal(totalStatus(['finished', 'refused']), 'stopped');
});
