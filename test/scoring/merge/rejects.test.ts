import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noPredictions } from '../../../src/scoring/batch/join-predictions.ts';
import { rejectsOf } from '../../../src/scoring/merge/rejects.ts';
import { encodeText } from '../../support/scoring/encoded.ts';

describe('the rejects of a batch', () => {
  it('are its malformed records and the personas that the service could not score, each with row and line', () => {
    const rows = ['1,1', '"2\n2","2"', '', '3', '4,4', '"5"x,5', '', '6,6,"6"', '7,7', '"8\n",8'];
    for (const ending of ['\n', '\r\n', '\r']) {
      const text = ['a,b', ...rows, ''].join('\n').replaceAll('\n', ending);
      const { encoded, layout } = encodeText(text);
      const [batch] = encoded;
      assert.ok(batch);
      assert.equal(batch.personas, 5); // rows 1, 2, 4, 7 and 8
      const errors = new Map([
        [1, { code: 'odd', message: 'row 2' }],
        [4, { code: 'odd', message: 'row 8' }],
      ]);
      const predictions = {
        kind: 'distribution',
        classes: ['x'],
        probabilities: new Float64Array(5),
        errors,
      } as const;
      assert.deepEqual(
        rejectsOf({ ...batch, predictions }, layout).map(({ row, line, code }) => [row, line, code]),
        [
          [2, 3, 'odd'],
          [3, 6, 'too_few_fields'],
          [5, 8, 'bad_quoting'],
          [6, 10, 'too_many_fields'],
          [8, 12, 'odd'],
        ],
      );
    }
  });

  it('are collected fast enough not to delay in-flight requests, even if all records of a large batch are rejects', {
    timeout: 15_000,
  }, () => {
    const { encoded, layout } = encodeText(`a,b\n${`${'x'.repeat(900)}\n`.repeat(5000)}`, {
      read: { batchRows: 5000, batchBytes: 32 << 20 },
    });
    const [batch] = encoded;
    assert.ok(batch);
    const predictions = noPredictions;
    const begun = performance.now();
    const rejects = rejectsOf({ ...batch, predictions }, layout);
    // A thousand times as long as needed, but less than recounting the lines for each reject would take.
    assert.ok(performance.now() - begun < 15_000);
    assert.deepEqual([rejects.length, rejects.at(-1)?.line], [5000, 5001]);
  });

  it('have the service’s own message as reason', () => {
    const { encoded, layout } = encodeText('a\n1\n');
    const [batch] = encoded;
    assert.ok(batch);
    const errors = new Map([[0, { code: 'unknown_level', message: 'no such plan' }]]);
    assert.deepEqual(rejectsOf({ ...batch, predictions: { ...noPredictions, errors } }, layout), [
      { row: 1, line: 2, code: 'unknown_level', reason: 'no such plan', record: Buffer.from('1') },
    ]);
  });

  it('can be written in a dialect without quotes, whatever the delimiter and the reason', () => {
    for (const [delimiter, expected] of [
      [' ', '1 2 odd no_such_plan;_sorry 1 2\n'],
      [';', '1;2;odd;no such plan  sorry;1 2\n'],
    ] as const) {
      const { layout } = encodeText(`a${delimiter}b\n`, { read: { delimiter, quote: 'none' } });
      const reject = {
        row: 1,
        line: 2,
        code: 'odd',
        reason: 'no such\nplan; sorry',
        record: Buffer.from('1 2'),
      };
      assert.equal(layout.rejectsText([reject], false).toString(), expected);
    }
  });
});
