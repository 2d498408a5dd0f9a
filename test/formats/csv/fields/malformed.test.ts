import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fieldEnd } from '../../../../src/formats/csv/fields/count-fields.ts';
import { FieldReader } from '../../../../src/formats/csv/fields/field-reader.ts';
import { malformedFinder } from '../../../../src/formats/csv/fields/malformed.ts';
import { read } from '../../../support/csv/read.ts';
import { runs } from '../../../support/random-tests.ts';

describe('malformed records', () => {
  it('are recognized by their bytes exactly as by their fields', () => {
    const part = fc.constantFrom(
      ...['a', 'b', ',', '"', '""', '\n', '\r', '\r\n', ';', 'é', '\u0000', '\xff'],
    );
    const inputs = runs(3000);
    let compared = 0;
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 40 }),
        fc.constantFrom('\n', '\r'),
        fc.constantFrom(undefined, 'none', "'"),
        fc.boolean(),
        (parts, ending, quote, isBroken) => {
          const body = parts.join('');
          const bytes = Buffer.from(`a,b${ending}${body}`, isBroken ? 'latin1' : 'utf8');
          let found: ReturnType<typeof read>;
          try {
            found = read(bytes, quote === undefined ? {} : { quote });
          } catch (error) {
            assert.match(String(error), /quote that opens/);
            return;
          }
          compared++;
          const { dialect } = found.head;
          for (const batch of found.batches)
            assert.deepEqual(
              malformedFinder(2, dialect)(batch),
              new FieldReader(2, dialect).read(batch).faults,
            );
        },
      ),
      { numRuns: inputs },
    );
    assert.ok(compared > inputs / 2, `only ${compared} of ${inputs} could be read`);
  });
});

describe('the end of a field', () => {
  const dialect = { delimiter: ',', quote: '"', loneCr: false };
  const cases: [string, number][] = [
    ['ab,c', 2],
    ['ab', 2],
    ['', 0],
    [',', 0],
    ['"a,b",c', 5],
    ['"a"",b",c', 7],
    ['""', 2],
    ['"",x', 2],
    ['5" pipe,x', 7],
  ];
  for (const [text, end] of cases)
    it(`of ${JSON.stringify(text)} is at ${end}`, () => {
      assert.equal(fieldEnd(Buffer.from(text), 0, text.length, dialect), end);
    });
});
