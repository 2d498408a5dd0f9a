import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Batch } from '../../../../src/formats/records/batch.ts';
import { newReader } from '../../../support/csv/read.ts';

const ROWS = 24_000;
const text = `${Array.from({ length: ROWS }, (_, row) => `${row},${'x'.repeat(row % 500)}\n`).join('')}`;

/**
 * Reads a text in chunks. Each batch is released after `ahead` more were read, and returned with its text at that time.
 */
function readAll(input: string, ahead: number): { batches: Batch[]; texts: string[] } {
  const reader = newReader({ maxRecordBytes: 8 << 20 });
  const bytes = Buffer.from(input);
  const batches: Batch[] = [];
  const texts: string[] = [];
  const release = (held: number): void => {
    for (; texts.length < batches.length - held; ) {
      const batch = batches[texts.length];
      assert.ok(batch);
      texts.push(batch.bytes.toString());
      reader.release(batch.end.offset);
    }
  };
  for (let at = 0; at < bytes.length; at += 65_536) {
    batches.push(...reader.push(bytes.subarray(at, at + 65_536)));
    release(ahead);
  }
  batches.push(...reader.end());
  release(0);
  return { batches, texts };
}

const buffersOf = (batches: readonly Batch[]): number =>
  new Set(batches.map(({ bytes }) => bytes.buffer)).size;

describe('the bytes of a batch', () => {
  for (const ahead of [0, 3, 40, Number.POSITIVE_INFINITY])
    it(`are unchanged until its release, ${ahead} batches later`, () => {
      assert.equal(readAll(text, ahead).texts.join(''), text);
    });

  it('are in few buffers if batches are released, and in as many as needed if not', () => {
    assert.ok(buffersOf(readAll(text, 3).batches) <= 3);
    assert.ok(buffersOf(readAll(text, Number.POSITIVE_INFINITY).batches) >= 4);
  });

  it('are unchanged around a record that needs its own buffer', () => {
    const long = `1,${'y'.repeat(3 << 20)}\n`;
    const parts = [text, long, text, long, long, text];
    assert.equal(readAll(parts.join(''), 2).texts.join(''), parts.join(''));
  });
});
