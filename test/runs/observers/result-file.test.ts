import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { resultFile, writeWhole } from '../../../src/runs/observers/result-file.ts';
import { summaryText } from '../../../src/runs/observers/summary-file.ts';
import { RunTracker } from '../../../src/runs/run-tracker.ts';
import { resolveTarget } from '../../../src/storage/backends.ts';
import { diskFiles } from '../../../src/storage/durable-files.ts';
import { diskFull } from '../../../src/storage/target.ts';
import { newFolder } from '../../support/folder.ts';

it('a full disk leaves the last state of a stopped run in a summary that is there', async t => {
  const folder = await newFolder(t);
  const path = join(folder, 'summary.json');
  const target = await resolveTarget(path);
  const observer = resultFile(async () => ({ target, text: summaryText }));
  const names = { version: '1', input: 'in.csv', output: 'out.csv', report: 'r', rejects: null };
  const tracker = new RunTracker({
    names: { ...names, hasNamedRejects: false, options: {} },
    observers: [observer],
  });
  await tracker.begin({ summary: target }, false);
  assert.equal(JSON.parse(await readFile(path, 'utf8')).status, 'running');
  t.mock.method(diskFiles, 'open', async () => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  });
  await tracker.fail(diskFull('cannot write the output', 'out.csv', undefined));
  const { status, exit_code, error } = JSON.parse(await readFile(path, 'utf8'));
  assert.deepEqual([status, exit_code, error.code], ['stopped', 75, 'disk_full']);
});

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
