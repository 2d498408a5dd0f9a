import { test } from 'node:test';
import { lowerPriority } from '../../../src/server/threads/lower-priority.ts';

test('a thread runs even if the system does not let it have a lower priority', () => {
  lowerPriority(() => {
    throw new Error('EACCES');
  });
});
