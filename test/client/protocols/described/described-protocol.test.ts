import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rowsOfLines } from '../../../../src/client/protocols/described/described-protocol.ts';

const rowsOf = (text: string, personas = 2, phrases = new Set<string>()): unknown[] =>
  rowsOfLines(Buffer.from(text), personas, phrases);

describe('a response of lines', () => {
  it('has a value of JSON on each line', () => {
    assert.deepEqual(rowsOf('{"score":0.5}\n{"score":NaN}\n'), [{ score: 0.5 }, { score: null }]);
    assert.deepEqual(rowsOf('0.25\r\n0.5'), [0.25, 0.5]);
    assert.deepEqual(rowsOf('"yes"\n"no"\n'), ['yes', 'no']);
  });

  it('has a record of CSV on each line, with one value or several', () => {
    assert.deepEqual(rowsOf('yes\nno\n'), ['yes', 'no']);
    assert.deepEqual(rowsOf('0.25,0.75\n1e-05,nan\n'), [
      [0.25, 0.75],
      [0.00001, null],
    ]);
    assert.deepEqual(rowsOf('"yes, ""please""",.5\n', 1), [['yes, "please"', 0.5]]);
  });

  it('may have all values on one line, if there are as many as rows', () => {
    assert.deepEqual(rowsOf('0.25,0.75'), [0.25, 0.75]);
    assert.deepEqual(rowsOf('0.25,0.75', 1), [[0.25, 0.75]]);
    assert.deepEqual(rowsOf('0.25,0.75', 3), [[0.25, 0.75]]);
    assert.deepEqual(rowsOf('Busy now, try again'), [['Busy now', 'try again']]);
  });

  it('that is a page, JSON with something behind it, or no text, is no label', () => {
    for (const text of [
      '<html>Sign in</html>',
      '\ufeff \n<!DOCTYPE html><p>Sign in',
      '{"predictions":[0.5]} and more',
      '[0.5',
      '0.5\n{"message":"Model',
      'yes\n [',
      '"yes" and more',
      'a "yes"',
      'yes\0',
      'caf\ufffd',
    ])
      for (const personas of [1, 2])
        assert.throws(() => rowsOf(text, personas), /the response is neither JSON nor CSV$/, text);
    assert.deepEqual(rowsOf('<50K\n>=50K\n'), ['<50K', '>=50K']);
  });

  it('that is a text of several words for a single row is no label, unless an earlier one for several rows had it', () => {
    const phrases = new Set<string>();
    for (const text of ['Service Unavailable', '"Internal error"\n'])
      assert.throws(() => rowsOf(text, 1, phrases), /is a text of several words, like an error/);
    assert.throws(() => rowsOf('Iris setosa\n', 1, phrases), /is a text of several words/);
    assert.deepEqual(rowsOf('Iris setosa\nIris virginica\n', 2, phrases), ['Iris setosa', 'Iris virginica']);
    assert.deepEqual(rowsOf('Iris setosa\n', 1, phrases), ['Iris setosa']);
    assert.throws(() => rowsOf('Service Unavailable', 1, phrases), /is a text of several words/);
    assert.deepEqual(rowsOf('versicolor\n', 1, phrases), ['versicolor']);
    assert.deepEqual(rowsOfLines(Buffer.from('Iris setosa'), 1), ['Iris setosa']);
  });

  it('that is empty has no rows', () => {
    assert.deepEqual(rowsOf('\n'), []);
  });
});
