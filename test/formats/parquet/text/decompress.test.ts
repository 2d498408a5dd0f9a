import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { decompressorsUpTo } from '../../../../src/formats/parquet/text/decompress.ts';

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
});
