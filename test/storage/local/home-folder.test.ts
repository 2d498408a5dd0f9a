import assert from 'node:assert/strict';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { diskFiles } from '../../../src/storage/durable-files.ts';
import { placeFile } from '../../../src/storage/local/atomic-write.ts';
import { removeUnfinished } from '../../../src/storage/local/home-folder.ts';
import { newFolder } from '../../support/folder.ts';

const long = new Date(Date.now() - 3_600_000);

test('what killed services were writing is removed from a home, and nothing else', async t => {
  const home = await newFolder(t);
  const places = ['serve-80.key', 'keys/etl.used', 'trainings/1.json', 'data/1/meta.json', 'runs/1/run.json'];
  // A killed process does not come to the rename.
  const rename = t.mock.method(diskFiles, 'rename', async () => {});
  for (const place of places) {
    await mkdir(join(home, place, '..'), { recursive: true });
    await placeFile(join(home, place), '{}', 'replace');
  }
  const left = rename.mock.calls.map(call => String(call.arguments[0]));
  left.push(join(home, '.spill-0123456789ab'));
  await writeFile(join(home, '.spill-0123456789ab'), 'rows');
  await removeUnfinished(home);
  assert.equal((await files(home)).length, places.length + 1, 'a process may still be writing them');
  for (const path of left) await utimes(path, long, long);
  const others = ['notes.new', 'keys/etl.json', 'data/1/data.csv', 'runs/1/output.0123456789ab'];
  for (const other of others) {
    await writeFile(join(home, other), 'kept');
    await utimes(join(home, other), long, long);
  }
  await removeUnfinished(home);
  assert.deepEqual(await files(home), others.toSorted());
});

async function files(home: string): Promise<string[]> {
  const found = await readdir(home, { recursive: true, withFileTypes: true });
  return found
    .filter(file => file.isFile())
    .map(file => join(file.parentPath, file.name).slice(home.length + 1))
    .toSorted();
}
