import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BodyWriter } from '../../../src/client/bodies/body-writer.ts';
import { wordView } from '../../../src/formats/bytes/word-view.ts';

function write(bodies: BodyWriter, text: string): Buffer {
  bodies.begin();
  for (const part of text.match(/.{1,1000}/g) ?? []) bodies.copy(wordView(Buffer.from(part)));
  return bodies.take();
}

describe('a body', () => {
  it('does not change while others are written and released', () => {
    const bodies = new BodyWriter();
    const kept = Array.from({ length: 8 }, (_, at) => String(at).repeat(200_000 * (at + 1)));
    const taken = kept.map(text => {
      const body = write(bodies, text);
      bodies.release(write(bodies, 'x'.repeat(300_000)));
      return body;
    });
    assert.deepEqual(taken.map(String), kept);
  });

  it('reuses the buffer of a released one', () => {
    const bodies = new BodyWriter();
    const first = write(bodies, 'first');
    bodies.release(first);
    const later = [write(bodies, 'second'), write(bodies, 'third')];
    assert.equal(later.filter(({ buffer }) => buffer === first.buffer).length, 1);
  });
});
