import assert from 'node:assert/strict';
import { cp, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { score } from '../../../src/scoring/score.ts';
import { newFolder } from '../../support/folder.ts';
import { root } from '../../support/root.ts';
import { job } from '../../support/scoring/job.ts';
import { connect } from '../../support/stub/connect.ts';

/** The command of that run, with the current names. */
async function rerun(t: TestContext, folder: string, more: object = {}): Promise<number | undefined> {
  const { client } = await connect(t, { report: { classes: ['no', 'yes'] } });
  const paths = { input: join(folder, 'in.csv'), output: join(folder, 'out.csv') };
  const columns = { features: ['id', 'text', 'extra'], excludeFeatures: ['extra'] };
  return (await score(job({ ...paths, ...columns, ...more }), client))?.resumedFrom;
}

/** The files of such a run after the service rejected its seventh request. */
async function interrupted(t: TestContext): Promise<string> {
  const folder = await newFolder(t);
  await cp(join(root, 'test/runs/checkpoint/earlier-run'), folder, { recursive: true });
  return folder;
}

describe('a run that was started before options and the rejects file were renamed', () => {
  it('is resumed with the new names, and ends with the same bytes', async t => {
    const folder = await interrupted(t);
    const whole = await newFolder(t);
    await cp(join(folder, 'in.csv'), join(whole, 'in.csv'));
    assert.equal(await rerun(t, whole), undefined);
    assert.equal(await rerun(t, folder), 25);
    assert.deepEqual((await readdir(folder)).sort(), ['in.csv', 'out.csv', 'out.csv.rejects']);
    for (const name of ['out.csv', 'out.csv.rejects'])
      assert.equal(await readFile(join(folder, name), 'utf8'), await readFile(join(whole, name), 'utf8'));
  });

  it('leaves nothing behind when it is restarted', async t => {
    const folder = await interrupted(t);
    assert.equal(await rerun(t, folder, { restart: true }), undefined);
    assert.deepEqual((await readdir(folder)).sort(), ['in.csv', 'out.csv', 'out.csv.rejects']);
  });

  it('is not resumed with other columns', async t => {
    const folder = await interrupted(t);
    await assert.rejects(rerun(t, folder, { excludeFeatures: [] }), {
      code: 'other_work',
      message: /--exclude-features was \["extra"\], now it is \[\]/,
    });
  });

  it('is not resumed if its rejects were modified', async t => {
    const folder = await interrupted(t);
    await writeFile(join(folder, 'out.csv.rejects.csv.partial'), 'mine');
    await assert.rejects(rerun(t, folder), { code: 'partial_too_short' });
    assert.equal(await readFile(join(folder, 'out.csv.rejects.csv.partial'), 'utf8'), 'mine');
  });
});

describe('the rejects file of a finished run under its former name', () => {
  it('is replaced by that of the next run', async t => {
    const folder = await newFolder(t);
    await cp(join(root, 'test/runs/checkpoint/earlier-run/in.csv'), join(folder, 'in.csv'));
    await rerun(t, folder);
    await rename(join(folder, 'out.csv.rejects'), join(folder, 'out.csv.rejects.csv'));
    await rerun(t, folder);
    assert.deepEqual((await readdir(folder)).sort(), ['in.csv', 'out.csv', 'out.csv.rejects']);
  });
});
