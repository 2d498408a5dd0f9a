import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Output } from '../../../src/runs/output/output.ts';
import { diskFiles } from '../../../src/storage/durable-files.ts';
import { openOutput, pieceOf, pointAt } from '../../support/file-output.ts';
import { newFolder } from '../../support/folder.ts';

const write = (output: Output, row: number): Promise<void> =>
  output.write(pieceOf(`${row}\n`, `rejected ${row}\n`), () => pointAt(row + 1));

async function modesNextTo(path: string): Promise<Record<string, string>> {
  const modes: Record<string, string> = {};
  for (const name of (await readdir(dirname(path))).sort())
    modes[name] = ((await stat(join(dirname(path), name))).mode & 0o777).toString(8);
  return modes;
}

/** An unfinished run without --private, in a folder of its own. */
async function begunRun(t: TestContext, files = diskFiles) {
  const umask = process.umask(0o022);
  t.after(() => process.umask(umask));
  const path = join(await newFolder(t), 'out.csv');
  const output = await openOutput(path, { files });
  await write(output, 1);
  await output.save();
  return { path, output };
}

describe('--private on the command that resumes a run', () => {
  it('concerns everything that the run has written so far', async t => {
    const { path, output } = await begunRun(t);
    await output.suspend();
    assert.deepEqual(await modesNextTo(path), {
      'out.csv.checkpoint': '644',
      'out.csv.partial': '644',
      'out.csv.rejects.partial': '644',
    });
    const resumed = await openOutput(path, { private: true });
    assert.equal(resumed.resumePoint?.row, 2);
    await write(resumed, 2);
    await resumed.save();
    assert.deepEqual(await modesNextTo(path), {
      'out.csv.checkpoint': '600',
      'out.csv.partial': '600',
      'out.csv.rejects.partial': '600',
    });
    await resumed.finish(pointAt(3));
    assert.deepEqual(await modesNextTo(path), { 'out.csv': '600', 'out.csv.rejects': '600' });
  });

  it('concerns a run that had only its renames left, or some of them', async t => {
    for (const missing of ['out.csv.rejects', 'out.csv']) {
      const rename = async (from: string, to: string): Promise<void> => {
        if (to.endsWith(missing)) throw new Error('killed');
        await diskFiles.rename(from, to);
      };
      const { path, output } = await begunRun(t, { ...diskFiles, rename });
      await assert.rejects(output.finish(pointAt(2)));
      await output.suspend();
      const finished = await openOutput(path, { private: true });
      await finished.finish(pointAt(2));
      assert.deepEqual(await modesNextTo(path), { 'out.csv': '600', 'out.csv.rejects': '600' }, missing);
    }
  });

  it('is not needed again: a run that was private stays so', async t => {
    const { path, output } = await begunRun(t);
    await output.suspend();
    await (await openOutput(path, { private: true })).suspend();
    const resumed = await openOutput(path);
    await write(resumed, 2);
    await resumed.finish(pointAt(3));
    assert.deepEqual(await modesNextTo(path), { 'out.csv': '600', 'out.csv.rejects': '600' });
  });
});
