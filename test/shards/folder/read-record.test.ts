import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { CANCELLED, openFolder } from '../../../src/shards/folder/names.ts';
import { plannedShape, planShape } from '../../../src/shards/folder/plan-shape.ts';
import { readRecord } from '../../../src/shards/folder/read-record.ts';
import type { SharedFolder } from '../../../src/storage/shared-folder.ts';
import { newFolder } from '../../support/folder.ts';

async function withFile(t: TestContext, text: string): Promise<SharedFolder> {
  const path = await newFolder(t);
  await writeFile(join(path, CANCELLED), text);
  return openFolder(path);
}

describe('a file of a run', () => {
  it('is read again if it is not whole yet, as a network file system may show it', async t => {
    const folder = await withFile(t, '');
    const reading = readRecord(folder, CANCELLED, plannedShape);
    await delay(300);
    await writeFile(join(folder.path, CANCELLED), '{"shards":7}');
    assert.deepEqual(await reading, { shards: 7 });
  });

  it('is an error if it stays damaged', async t => {
    const folder = await withFile(t, '{"shards":');
    await assert.rejects(readRecord(folder, CANCELLED, plannedShape), { code: 'bad_plan' });
  });

  it('is an error if its format is another one', async t => {
    const folder = await withFile(t, '{"format":2,"id":"x"}');
    await assert.rejects(readRecord(folder, CANCELLED, planShape), {
      code: 'bad_plan',
      message: 'not a file of a sharded run by this version of rowcast',
    });
  });

  it('may be missing', async t => {
    const folder = await withFile(t, '');
    assert.equal(await readRecord(folder, 'planned.json', plannedShape), undefined);
  });
});
