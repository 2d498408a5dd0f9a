import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fieldEnd } from '../../../../src/formats/csv/fields/count-fields.ts';

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
