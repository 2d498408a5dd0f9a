import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { predictedText } from '../../../src/cli/terminal/status-text.ts';

describe('what the status says of predictions', () => {
  it('are the classes, a label, a number, or the names of several, without control characters', () => {
    assert.deepEqual(predictedText({ kind: 'distribution', classes: ['no', 'y\u001bes'] }), [
      'classes',
      'no, y es',
    ]);
    assert.deepEqual(predictedText({ kind: 'label' }), ['predicted', 'a label']);
    assert.deepEqual(predictedText({ kind: 'numbers', names: [] }), ['predicted', 'a number']);
    assert.deepEqual(predictedText({ kind: 'numbers', names: ['mean', 'upper'] }), [
      'numbers',
      'mean, upper',
    ]);
  });
});
