import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpillFile } from '../../../src/server/batch-predict/spill-file.ts';
import { newFolder } from '../../support/folder.ts';

/** Counts what a file takes of the disk. */
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

/** Bytes that differ from those of other parts and within each. */
function part(number: number): Buffer {
  const bytes = Buffer.alloc(100_003, number % 251);
  bytes.writeUInt32LE(number);
  return bytes;
}

test('bytes come back in their order from a file that is no longer than what waited at most', async t => {
  const shared = space();
  const file = await SpillFile.open(await newFolder(t), 1 << 30, shared);
  t.after(() => file.close());
  const [put, taken]: Buffer[][] = [[], []];
  for (let number = 0; number < 200; number++) {
    // Between nothing and ten parts wait.
    const target = Math.round(5 + 5 * Math.sin(number)) * part(0).length;
    while (file.size > target) taken?.push(await file.take());
    const bytes = part(number);
    put?.push(bytes);
    // At once with a read, as the spool does.
    const [read] = await Promise.all([file.take(), file.put(bytes)]);
    taken?.push(read);
  }
  while (file.size > 0) taken?.push(await file.take());
  assert.ok(Buffer.concat(taken ?? []).equals(Buffer.concat(put ?? [])));
  assert.ok(shared.counts.taken < 2 << 20, `${shared.counts.taken} bytes`);
});

test('no more is put than there is room for, and a file that is closed takes up none', async t => {
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

test('what the space refuses is told to who puts', async t => {
  const file = await SpillFile.open(await newFolder(t), 1 << 20, {
    take() {
      throw new Error('the disk is for others');
    },
    release() {},
  });
  t.after(() => file.close());
  await assert.rejects(file.put(Buffer.alloc(1)), /the disk is for others/);
});
