import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { DecodedSource } from '../../src/storage/decoded-source.ts';
import type { StoredInput } from '../../src/storage/source.ts';
import { contentOf } from '../support/content-of.ts';

/** An input as an object store would give it: bytes from any offset, and a version of its own. */
const object = (bytes: Buffer): StoredInput => ({
  name: 'store://bucket/in.csv',
  path: 'store://bucket/in.csv',
  version: { size: bytes.length, modified: null, etag: '"v1"' },
  stream: Readable.from([bytes.subarray(0, 1), bytes.subarray(1)]),
  streamFrom: offset => Readable.from([bytes.subarray(offset)]),
  checkUnchanged: async () => {},
});

describe('an input of another storage', () => {
  it('is identified by its own version before it is read, and nothing is lost by that', async () => {
    const source = new DecodedSource(object(Buffer.from('a\n1\n')), false);
    assert.deepEqual(await source.identify(), {
      path: 'store://bucket/in.csv',
      size: 4,
      modified: null,
      etag: '"v1"',
      codec: 'none',
      contentSize: 4,
    });
    assert.equal(String(await contentOf(source)), 'a\n1\n');
  });

  it('is decompressed, and the size of its content is not known then', async () => {
    const source = new DecodedSource(object(gzipSync('a\n1\n')), false);
    const { codec, contentSize } = await source.identify();
    assert.deepEqual([codec, contentSize], ['gzip', null]);
    assert.equal(String(await contentOf(source)), 'a\n1\n');
  });

  it('can be continued at an offset, and has a checksum of all its bytes', async () => {
    const bytes = Buffer.from('a\n1\n2\n');
    const source = new DecodedSource(object(bytes), true);
    await source.chunks.next();
    source.seek(4);
    assert.equal(String(await contentOf(source)), '2\n');
    assert.equal(await source.sha256(), createHash('sha256').update(bytes).digest('hex'));
  });
});
