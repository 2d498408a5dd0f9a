import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  controlBytes,
  copyBytes,
  firstMatch,
  matches,
  repeatByte,
  wordView,
} from '../../../src/formats/bytes/word-view.ts';
import { runs } from '../../support/random-tests.ts';

const byte = fc.integer({ min: 0, max: 255 });
const word = fc.uint8Array({ minLength: 4, maxLength: 4 });
const read = (bytes: Uint8Array): number => wordView(Buffer.from(bytes)).view.getInt32(0, true);

describe('a word of four bytes', () => {
  it('finds the position of a byte, and of no other', () => {
    fc.assert(
      fc.property(word, byte, fc.nat(4), (bytes, sought, count) => {
        bytes.fill(sought, 0, count);
        const places = [...bytes].flatMap((own, place) => (own === sought ? [place] : []));
        const positions: number[] = [];
        for (let found = matches(read(bytes), repeatByte(sought)); found !== 0; found &= found - 1)
          positions.push(firstMatch(found));
        assert.deepEqual(positions, places);
      }),
      { numRuns: runs(2000) },
    );
  });

  it('shows whether it contains a byte below 32', () => {
    fc.assert(
      fc.property(word, byte, fc.nat(3), (bytes, another, place) => {
        bytes[place] = another;
        assert.equal(
          controlBytes(read(bytes)) !== 0,
          [...bytes].some(own => own < 32),
        );
      }),
      { numRuns: runs(2000) },
    );
  });
});

describe('bytes', () => {
  it('are copied like Buffer.copy does, without changing others', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 700 }), fc.nat(), fc.nat(), fc.nat(9), (all, a, b, at) => {
        const from = wordView(Buffer.from(all));
        const [start = 0, end = 0] = [a % (all.length + 1), b % (all.length + 1)].sort((x, y) => x - y);
        const into = Buffer.alloc(all.length + 20, 0xee);
        const expected = Buffer.from(into);
        expected.set(all.subarray(start, end), at);
        assert.equal(copyBytes(from, start, end, wordView(into), at), at + end - start);
        assert.deepEqual(into, expected);
      }),
    );
  });
});
