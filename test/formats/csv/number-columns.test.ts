import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { wordView } from '../../../src/formats/bytes/word-view.ts';
import { appendedColumns } from '../../../src/formats/csv/appended-columns.ts';
import { read } from '../../support/csv/read.ts';
import { numbers } from '../../support/scoring/predictions.ts';

/** What is appended to each row. */
function fieldsOf(values: readonly number[], names: readonly string[], isAfterOthers = true): string[] {
  const columns = names.length === 0 ? ['prediction'] : names;
  const { head } = read('x;y\n', { delimiter: ';' });
  const kept = isAfterOthers ? undefined : { kept: [], rename: {}, hasHeader: true, file: '' };
  const { writer, maxBytes } = appendedColumns(
    head,
    { predictionType: { kind: 'numbers', names }, prefix: 'p', prediction: undefined },
    kept,
  );
  const into = wordView(Buffer.alloc(maxBytes));
  const write = writer(numbers(values, names));
  return Array.from({ length: values.length / columns.length }, (_, row) =>
    into.bytes.toString('latin1', 0, write(row, into, 0)),
  );
}

describe('the columns of numbers', () => {
  it('have the numbers of each row in order, as the shortest text of the same double', () => {
    assert.deepEqual(fieldsOf([1, 0.1 + 0.2, -0, 1e21], ['a', 'b']), [';1;0.30000000000000004', ';0;1e+21']);
  });

  it('have one number for each row if it has no name', () => {
    assert.deepEqual(fieldsOf([5, -7.5], []), [';5', ';-7.5']);
  });

  it('have no delimiter before the first one if no other column is before it', () => {
    assert.deepEqual(fieldsOf([1, 2, 3, 4], ['a', 'b'], false), ['1;2', '3;4']);
  });

  it('have room for the longest numbers', () => {
    const longest = -2.2250738585072014e-308;
    assert.deepEqual(fieldsOf([longest, longest], ['a', 'b']), [`;${longest};${longest}`]);
  });
});
