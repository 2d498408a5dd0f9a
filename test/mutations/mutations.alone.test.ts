import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newFolder } from '../support/folder.ts';
import { isFull, runs, seed } from '../support/random-tests.ts';
import { tryMutations } from './accepted.ts';
import { convert, formats, kinds } from './conversions.ts';

describe('an output in which one byte was changed', () => {
  for (const from of formats)
    for (const to of formats)
      it(`of ${from} as ${to} is not verified unless a run with other predictions writes it`, async t => {
        const folder = await newFolder(t);
        const [first, second] = [seed % kinds.length, (seed + 1 + (seed % 3)) % kinds.length];
        for (const index of isFull ? [first, second] : [first]) {
          const kind = kinds[index];
          assert.ok(kind !== undefined);
          const finished = await convert(folder, from, to, kind);
          for (const [mutated, count] of [
            ['output', runs(200, 10)],
            ['rejects', runs(40, 2)],
          ] as const) {
            const { name, refused, failures } = await tryMutations(finished, { count, seed, mutated });
            assert.deepEqual(failures, [], name);
            if (mutated === 'output') assert.ok(refused > count / 4, `${name}: only ${refused} were refused`);
          }
        }
      });
});
