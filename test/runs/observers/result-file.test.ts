import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { writeWhole } from '../../../src/runs/observers/result-file.ts';
import { resolveTarget } from '../../../src/storage/backends.ts';
import { diskFiles } from '../../../src/storage/durable-files.ts';
import { newFolder } from '../../support/folder.ts';

for (const operation of ['append', 'sync'] as const)
  it(`a full disk leaves the former file and no part of the new one, if it shows at the ${operation}`, async t => {
    const folder = await newFolder(t);
    const path = join(folder, 'summary.json');
    await writeFile(path, 'former');
    const { open } = diskFiles;
    t.mock.method(diskFiles, 'open', async (...args: Parameters<typeof open>) => {
      const file = await open(...args);
      t.mock.method(file, operation, async () => {
        throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      });
      return file;
    });
    const { signal } = new AbortController();
    await assert.rejects(writeWhole(await resolveTarget(path), ['new'], signal), { code: 'disk_full' });
    assert.deepEqual(await readdir(folder), ['summary.json']);
    assert.equal(await readFile(path, 'utf8'), 'former');
  });
