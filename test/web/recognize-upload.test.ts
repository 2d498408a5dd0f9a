import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { recognizeUpload } from '../../src/web/recognize-upload.ts';

it('an upload says how much its decompressor may have to remember', async () => {
  const zstd = Buffer.from('28b52ffd00380100', 'hex');
  for (const [bytes, windowBytes] of [
    [zstd, 128 << 20],
    [gzipSync('a\n1\n'), 0],
    [Buffer.from('a\n1\n'), 0],
    [Buffer.alloc(0), 0],
  ] as const) {
    const upload = await recognizeUpload(Readable.from([bytes.subarray(0, 2), bytes.subarray(2)]), 'a.csv');
    assert.equal(upload.windowBytes, windowBytes);
    // What was looked at is still read.
    const read: Buffer[] = [];
    for await (const chunk of upload.bytes) read.push(chunk);
    assert.deepEqual(Buffer.concat(read), bytes);
  }
});
