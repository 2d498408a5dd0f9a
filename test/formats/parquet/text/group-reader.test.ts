import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { decompressorsUpTo } from '../../../../src/formats/parquet/text/group-reader.ts';

describe('the pages of a group', () => {
  const page = gzipSync('12345678');

  it('are decompressed up to a number of bytes in all', () => {
    const { GZIP } = decompressorsUpTo(20);
    assert.equal(Buffer.from(GZIP?.(page, 8) ?? []).toString(), '12345678');
    GZIP?.(page, 8);
    assert.throws(() => GZIP?.(page, 8), /larger than the footer says/);
  });

  it('do not have a negative size', () => {
    assert.throws(() => decompressorsUpTo(20).GZIP?.(page, -8), /larger than the footer says/);
  });

  it('have no more bytes than they say, whatever their compressed data says', () => {
    // A frame of zstd: a window of 128 KiB, and eight blocks of 128 KiB, each of one byte that is repeated.
    const block = (isLast: boolean): Buffer =>
      Buffer.from([Number(isLast) | (1 << 1), 0, 16, 'x'.charCodeAt(0)]);
    const blocks = Array.from({ length: 8 }, (_, index) => block(index === 7));
    const frame = Buffer.concat([Buffer.from('28b52ffd0038', 'hex'), ...blocks]);
    const { ZSTD } = decompressorsUpTo(2 << 20);
    assert.equal(Buffer.from(ZSTD?.(frame, 1 << 20) ?? []).toString(), 'x'.repeat(1 << 20));
    let plain: Uint8Array = Buffer.alloc(0);
    try {
      plain = ZSTD?.(frame, 8) ?? plain;
    } catch {
      // The zstd of Node refuses it.
    }
    assert.ok(plain.length <= 8, `${plain.length} bytes`);
  });
});
