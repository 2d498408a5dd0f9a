import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { reasonOf } from '../../src/base/system-error.ts';
import { root } from '../support/root.ts';

const errorOf = (call: () => unknown): unknown => {
  try {
    call();
  } catch (error) {
    return error;
  }
  return undefined;
};

it('the reason of a file error has neither the system call nor the path', () => {
  const missing = errorOf(() => readFileSync('/no such, file'));
  assert.equal(reasonOf(missing), 'no such file or directory (ENOENT)');
  assert.equal(reasonOf(errorOf(() => readFileSync(root))), 'it is a folder (EISDIR)');
  assert.equal(
    reasonOf(new Error('ENOSPC: no space left on device, write')),
    'no space left on device (ENOSPC)',
  );
});

it('the reason of any other error is its message', () => {
  for (const text of ['', 'it is a folder', 'the line E1: a, b', 'EEXIST'])
    assert.equal(reasonOf(new Error(text)), text);
  assert.equal(reasonOf('text'), 'text');
});
