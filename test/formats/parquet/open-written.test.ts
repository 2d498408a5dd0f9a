import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keepUnchanged } from '../../../src/formats/parquet/open-written.ts';

const options = { numbers: [true, false, false], nulls: new Set(['-99']) };

describe('a corrected row', () => {
  for (const [corrected, output, wanted] of [
    ['NA,b,0.5', ',bad,', ',b,0.5'],
    ['-99,b,', '7,b,', ',b,'],
    ['1e3,"a,""b""\n",x', '1000,"a,""b""\n",y', '1000,"a,""b""\n",x'],
    ['7,n,x', ',,', '7,n,x'],
    ['7,5"x,é', '8,5"y,e', '7,5"x,é'],
    ['-0,,', '0,"",', '-0,"",'],
    ['', '""', '""'],
  ] as const)
    it(`is written as the output has it where the values are the same: ${JSON.stringify(corrected)}`, () => {
      const row = keepUnchanged(Buffer.from(corrected), Buffer.from(output), options);
      assert.equal(row.toString(), wanted);
    });
});
