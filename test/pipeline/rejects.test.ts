import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rejectsOf } from '../../src/pipeline/rejects.ts';
import { encodeText } from './encoded.ts';

describe('the rejects of a batch', () => {
  it('are its malformed records and the personas that the service could not score, each with its place', () => {
    const rows = ['1,1', '"2\n2","2"', '', '3', '4,4', '"5"x,5', '', '6,6,"6"', '7,7', '"8\n",8'];
    for (const ending of ['\n', '\r\n', '\r']) {
      const text = ['a,b', ...rows, ''].join('\n').replaceAll('\n', ending);
      const { encoded, header } = encodeText(text);
      const [batch] = encoded;
      assert.ok(batch);
      assert.equal(batch.personas, 5); // rows 1, 2, 4, 7 and 8
      const errors = new Map([
        [1, { code: 'odd', message: 'row 2' }],
        [4, { code: 'odd', message: 'row 8' }],
      ]);
      const answer = { classes: ['x'], probabilities: new Float64Array(5), errors };
      assert.deepEqual(
        rejectsOf({ parsed: batch, answer }, header.dialect).map(({ row, line, code }) => [row, line, code]),
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

  it('have the reason of the service in its words', () => {
    const { encoded, header } = encodeText('a\n1\n');
    const [batch] = encoded;
    assert.ok(batch);
    const errors = new Map([[0, { code: 'unknown_level', message: 'no such plan' }]]);
    assert.deepEqual(
      rejectsOf(
        { parsed: batch, answer: { classes: [], probabilities: new Float64Array(), errors } },
        header.dialect,
      ),
      [{ row: 1, line: 2, code: 'unknown_level', reason: 'no such plan', record: Buffer.from('1') }],
    );
  });
});
