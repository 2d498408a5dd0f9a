import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Dialect, parseRecords } from '../../src/base/parse-records.ts';
import { writeRow } from '../../src/base/write-row.ts';
import { runs } from '../support/random-tests.ts';

describe('a written row', () => {
  it('has quotes only where they are needed', () => {
    assert.equal(
      writeRow(['a b', ' c', 'é', 'd,e', 'f"g', 'h\ni', 'j\rk']),
      'a b, c,é,"d,e","f""g","h\ni","j\rk"\n',
    );
    const semicolon: Dialect = { delimiter: ';', quote: "'", loneCr: false };
    assert.equal(writeRow(['a,b', 'c"', 'd;', "e'"], semicolon), "a,b;c\";'d;';'e'''\n");
  });

  it('is parsed to the same fields, in any dialect', () => {
    const text = fc.array(fc.constantFrom(...'ab,;^]\\|\t"\'\n\r é')).map(parts => parts.join(''));
    const dialect = fc.record({
      delimiter: fc.constantFrom(',', ';', '\t', '|', '^', ']', '\\'),
      quote: fc.constantFrom('"', "'", '~'),
      loneCr: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), dialect, (fields, dialect) => {
        assert.deepEqual(parseRecords(writeRow(fields, dialect), dialect), [fields]);
      }),
      { numRuns: runs(2000) },
    );
  });

  it('is refused if a field needs quotes and the dialect has none', () => {
    const dialect: Dialect = { delimiter: '\t', quote: undefined, loneCr: false };
    assert.equal(writeRow(['a"', 'b,c'], dialect), 'a"\tb,c\n');
    for (const field of ['a\tb', 'a\nb', 'a\rb'])
      assert.throws(() => writeRow(['x', field], dialect), { code: 'cannot_quote' });
  });
});
