import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fromThreadError, RowcastError, toThreadError } from '../../src/base/errors.ts';

it('an error keeps all that it says on its way between threads', () => {
  const error = new RowcastError('other_work', 'the input has changed', {
    severity: 'stopped',
    location: { file: 'in.csv', row: 3 },
    hint: 'Start over.',
    quote: 'the row has "a"',
    needsRestart: true,
    isUnfinished: true,
  });
  const copy = fromThreadError(structuredClone(toThreadError(error)));
  assert.deepEqual({ ...copy }, { ...error });
  assert.equal(copy.message, error.message);
});
