import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpillFile } from '../../../src/server/batch-predict/spool.ts';
import { newFolder } from '../../support/folder.ts';

/** Counts the disk space that a file takes up. */
function space() {
  const counts = { taken: 0, released: 0 };
  return {
    counts,
    take(bytes: number) {
      counts.taken += bytes;
    },
    release() {
      counts.released++;
    },
  };
}

/** Bytes that differ within a part and between parts. */
function part(number: number): Buffer {
  const bytes = Buffer.alloc(100_003, number % 251);
  bytes.writeUInt32LE(number);
  return bytes;
}

test('bytes are read in order, and the file is never longer than the most that was buffered', async t => {
  const shared = space();
  const file = await SpillFile.open(await newFolder(t), 1 << 30, shared);
  t.after(() => file.close());
  const [put, taken]: Buffer[][] = [[], []];
  for (let number = 0; number < 200; number++) {
    // Up to ten parts are buffered.
    const target = Math.round(5 + 5 * Math.sin(number)) * part(0).length;
    while (file.size > target) taken?.push(await file.take());
    const bytes = part(number);
    put?.push(bytes);
    // Concurrently with a read, as the spool does.
    const [read] = await Promise.all([file.take(), file.put(bytes)]);
    taken?.push(read);
  }
  while (file.size > 0) taken?.push(await file.take());
  assert.ok(Buffer.concat(taken ?? []).equals(Buffer.concat(put ?? [])));
  assert.ok(shared.counts.taken < 2 << 20, `${shared.counts.taken} bytes`);
});

test('writes stop at the limit, and a closed file takes up no space', async t => {
  const shared = space();
  const file = await SpillFile.open(await newFolder(t), 1 << 20, shared);
  assert.equal(file.room, 1 << 20);
  await file.put(Buffer.alloc(file.room));
  assert.equal(file.room, 0);
  const { length } = await file.take();
  assert.equal(file.room, length);
  await file.close();
  assert.deepEqual(shared.counts, { taken: 1 << 20, released: 1 });
});

test('a write that exceeds the disk limit fails', async t => {
  const file = await SpillFile.open(await newFolder(t), 1 << 20, {
    take() {
      throw new Error('no disk space is available');
    },
    release() {},
  });
  t.after(() => file.close());
  await assert.rejects(file.put(Buffer.alloc(1)), /no disk space is available/);
});
