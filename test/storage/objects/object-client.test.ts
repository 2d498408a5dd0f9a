import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { ListingLimit, parseObjectName } from '../../../src/storage/objects/object-client.ts';
import { withObjectStore } from '../../support/object-store/object-backend.ts';
import { startObjectService } from '../../support/object-store/object-service.ts';
import { slow } from '../../support/slow.ts';

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

slow('a listing without an end is refused after a thousand empty pages', async t => {
  const service = await startObjectService(t);
  service.hooks.isEndless = true;
  const store = withObjectStore(service.endpoint).get('s3');
  assert.ok(store);
  await assert.rejects(store.namesMatching(service.nameOf('/in/*.csv')), {
    code: 'unreadable_input',
    message: /the store's listing does not go on after 1,000 empty pages; name fewer objects/,
  });
});

test('a listing may have empty pages between others, and not more than ten million entries', () => {
  const limit = new ListingLimit();
  for (let i = 0; i < 3_000; i++) limit.page(i % 500 === 0 ? 1 : 0);
  for (let i = 0; i < 9_999; i++) limit.page(1_000);
  assert.throws(() => limit.page(1_000), { failure: 'refused', message: /more than 10,000,000 entries/ });
});

test('the names that are kept have a limit of their own', () => {
  const limit = new ListingLimit();
  for (let i = 0; i < 255; i++) limit.keep(1 << 20);
  assert.throws(() => limit.keep(1 << 20), {
    failure: 'refused',
    message: /take more than 268,435,456 bytes/,
  });
});
