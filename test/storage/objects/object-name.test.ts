import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseObjectName } from '../../../src/storage/objects/object-client.ts';

describe('the name of an object', () => {
  it('has a literal key, in which nothing is decoded', () => {
    for (const key of ['a.csv', 'a/b c/%20?x#y+z.csv', '/a//b', '2026-11-20/*.csv.gz', 'ä/\n'])
      assert.deepEqual(parseObjectName(`s3://bucket/${key}`), {
        start: 's3://bucket/',
        bucket: 'bucket',
        key,
      });
  });

  it('has a bucket without user and port, and a key', () => {
    for (const name of [
      's3://bucket',
      's3://bucket/',
      's3:///key',
      's3://user@bucket/key',
      's3://bucket:9000/key',
    ])
      assert.throws(
        () => parseObjectName(name),
        { code: 'usage', message: /not the URL of an object/ },
        name,
      );
  });
});
