import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runGroups, runOptions } from '../../../src/base/options/score.ts';

describe('the options of a scoring run', () => {
  it('are all in the help, and the help has no others but the folder of the local reports', () => {
    const shown = Object.values(runGroups).flatMap(options => Object.keys(options));
    assert.deepEqual(shown.toSorted(), [...Object.keys(runOptions), 'home'].toSorted());
  });
});
