import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { Latin1Window } from '../../../src/formats/bytes/latin1-window.ts';
import '../../support/random-tests.ts';

it('a window gives the text of any piece, within a window, across two and longer than one', () => {
  const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 7) % 251));
  const window = new Latin1Window(bytes);
  const offset = fc.integer({ min: 0, max: bytes.length });
  fc.assert(
    fc.property(offset, offset, (one, other) => {
      const [start, end] = [Math.min(one, other), Math.max(one, other)];
      for (const stop of [end, Math.min(end, start + 20)])
        assert.equal(window.slice(start, stop), bytes.toString('latin1', start, stop));
    }),
  );
});
