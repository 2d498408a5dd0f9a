import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keepUnchanged } from '../../../src/runs/repair/keep-unchanged.ts';

describe('a corrected row', () => {
  for (const [corrected, rejected, output, wanted] of [
    ['NA,b,0.5', 'NA,bad,', ',bad,', ',b,0.5'],
    ['"a,""b""\n",x', '"a,""b""\n"', 'other,', 'other,x'],
    ['"NA",,x', 'NA,""', 'n,"",', 'n,"",x'],
    ['5"x,é,', '5"y,é', '5"y,e,', '5"x,e,'],
    ['', '', '""', '""'],
  ] as const)
    it(`has what the output has where nothing was corrected: ${JSON.stringify(corrected)}`, () => {
      const row = keepUnchanged(Buffer.from(corrected), Buffer.from(rejected), Buffer.from(output));
      assert.equal(row.toString(), wanted);
    });
});
