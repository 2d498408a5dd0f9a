import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Leaks } from '../../../src/web/trainings/leaks.ts';
import { newFolder } from '../../support/folder.ts';
import { csv } from '../../support/service/history.ts';

/** Longer than any search of these tests, so that each has its true end. */
const WAIT_MS = 600_000;
const columns = ['a', 'b', 'c', 'd', 'e'];

/** Searches in a file in which every column leaks every other one. */
async function opened(t: TestContext) {
  const historyFile = join(await newFolder(t), 'history.csv');
  const rows = Array.from({ length: 300 }, (_, row) =>
    columns.map(name => `${name}${(row * 7) % 5 < 2 ? 1 : 2}`),
  );
  await writeFile(historyFile, csv([columns, ...rows]));
  const leaks = new Leaks(WAIT_MS);
  t.after(() => leaks.close());
  return {
    leaks,
    search: (predict: string) =>
      leaks.of({ historyFile, predict, seed: 1, excludeFeatures: [], types: {}, maxRecordBytes: 1 << 20 }),
  };
}

const others = (name: string): string[] => columns.filter(other => other !== name);

describe('the search for columns that leak', () => {
  it('runs once at a time, and of those that wait only the latest is kept', async t => {
    const { search } = await opened(t);
    const found = await Promise.all(columns.map(search));
    assert.deepEqual(found, [others('a'), [], [], [], others('e')]);
    // What was dropped is searched when the page is loaded again; what is known is not.
    assert.deepEqual(await search('c'), others('c'));
    assert.deepEqual(await Promise.all([search('a'), search('e')]), [others('a'), others('e')]);
  });

  it('ends with the service', async t => {
    const { leaks, search } = await opened(t);
    const running = [search('a'), search('b')];
    await leaks.close();
    assert.deepEqual(await Promise.all(running), [[], []]);
  });
});
