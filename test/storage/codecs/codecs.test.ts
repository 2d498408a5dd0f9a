import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { codecOfBytes, codecOfName, nameOfContent } from '../../../src/storage/codecs/codecs.ts';

describe('the compression of a file', () => {
  it('is found by its first bytes for input, and by its name for output', () => {
    for (const [bytes, codec] of [
      [gzipSync('a'), 'gzip'],
      [Buffer.from('28b52ffd04', 'hex'), 'zstd'],
      [Buffer.from('5e2a4d1803', 'hex'), 'zstd'],
      [Buffer.from('28b52f', 'hex'), 'none'],
      [Buffer.from('id\n'), 'none'],
      [Buffer.from([0x1f]), 'none'],
      [Buffer.alloc(0), 'none'],
    ] as const)
      assert.equal(codecOfBytes(bytes).name, codec);
    for (const [name, codec] of [
      ['out.csv.gz', 'gzip'],
      ['OUT.CSV.GZ', 'gzip'],
      ['out.csv.zst', 'zstd'],
      ['out.csv', 'none'],
      ['out.gz.csv', 'none'],
      ['outgz', 'none'],
    ] as const)
      assert.equal(codecOfName(name).name, codec, name);
  });

  it('is not part of the name of the content', () => {
    assert.deepEqual(['in.tsv.gz', 'IN.TSV.ZST', 'in.tsv', 'stdin'].map(nameOfContent), [
      'in.tsv',
      'IN.TSV',
      'in.tsv',
      'stdin',
    ]);
  });
});
