import assert from 'node:assert/strict';
import { constants, getPriority } from 'node:os';
import { test } from 'node:test';
import { lowerPriority } from '../../../src/server/threads/lower-priority.ts';

test('a thread runs even if the system does not let it have a lower priority', () => {
  let requests = 0;
  assert.doesNotThrow(() =>
    lowerPriority(() => {
      requests++;
      throw new Error('EACCES');
    }),
  );
  const isLow = getPriority() >= constants.priority.PRIORITY_BELOW_NORMAL;
  assert.equal(requests, process.platform === 'linux' && !isLow ? 1 : 0);
});
