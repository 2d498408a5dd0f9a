import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RowcastError } from '../../../src/base/errors.ts';
import { shownError } from '../../../src/web/errors/shown-error.ts';
import { runHints } from '../../../src/web/runs/stored-run.ts';

describe('the error of a run on the pages', () => {
  it('of a row group that is too large has a hint without options of the command line', () => {
    const error = new RowcastError('group_too_large', 'row group 1 has 10 rows', {
      hint: 'Raise --max-group-bytes.',
    });
    assert.equal(shownError(error, runHints).hint, 'Write the file with smaller row groups.');
  });
});
