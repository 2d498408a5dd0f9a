import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { RunValues } from '../../../src/base/options/values/run-values.ts';
import { lockOf } from '../../../src/storage/local/locks/lock-file.ts';
import { thisProcess } from '../../../src/storage/local/locks/lock-holder.ts';
import { newFolder } from '../../support/folder.ts';
import { job } from '../../support/scoring/job.ts';
import { score } from '../../support/scoring/score.ts';
import { connect } from '../../support/stub/connect.ts';

async function bench(t: TestContext) {
  const folder = await newFolder(t);
  let stop = new AbortController();
  const { client } = await connect(t, {
    report: { classes: ['no', 'yes'] },
    async behave() {
      stop.abort('test');
      return false;
    },
  });
  const at = (name: string): string => join(folder, name);
  await writeFile(at('in.csv'), `a,b\n${'1,2\n3\n'.repeat(6)}`);
  await writeFile(at('good.csv'), `a,b\n${'1,2\n'.repeat(12)}`);
  const options = (output: string, rejects: string) => ({
    input: at('in.csv'),
    output: at(output),
    rejects: at(rejects),
    batchRows: 4,
    checkpointInterval: 0,
  });
  return {
    at,
    names: async () =>
      (await readdir(folder)).sort().filter(name => !name.startsWith('in.') && name !== 'good.csv'),
    /** Scores in.csv, of which every other row is too short. */
    run: (output: string, rejects: string, more: Partial<RunValues> = {}) =>
      score(job({ ...options(output, rejects), ...more }), client),
    /** Scores as `run` does, but stops with a checkpoint after a batch. */
    async stopped(output: string, rejects: string, input = 'in.csv'): Promise<void> {
      stop = new AbortController();
      await assert.rejects(
        score(job({ ...options(output, rejects), input: at(input) }), client, { stop: stop.signal }),
        { name: 'Interrupted' },
      );
    },
  };
}

describe('the partial rejects of an unfinished run', { concurrency: true }, () => {
  it('are removed when it is restarted with another rejects file', async t => {
    const { names, run, stopped } = await bench(t);
    await stopped('out.csv', 'old.csv');
    assert.deepEqual(await names(), ['old.csv.partial', 'out.csv.checkpoint', 'out.csv.partial']);
    await run('out.csv', 'new.csv', { restart: true });
    assert.deepEqual(await names(), ['new.csv', 'out.csv']);
  });

  it('are kept if they were modified since', async t => {
    const { at, names, run, stopped } = await bench(t);
    await stopped('out.csv', 'old.csv');
    await writeFile(at('old.csv.partial'), 'mine');
    await run('out.csv', 'new.csv', { restart: true });
    assert.deepEqual(await names(), ['new.csv', 'old.csv.partial', 'out.csv']);
    assert.equal(await readFile(at('old.csv.partial'), 'utf8'), 'mine');
  });

  it('do not allow overwriting a foreign file at the new path', async t => {
    const { at, names, run, stopped } = await bench(t);
    await stopped('out.csv', 'old.csv');
    await writeFile(at('new.csv.partial'), 'mine');
    const before = await names();
    await assert.rejects(run('out.csv', 'new.csv', { restart: true }), {
      code: 'foreign_file',
      location: { file: at('new.csv.partial') },
    });
    assert.deepEqual(await names(), before);
    assert.equal(await readFile(at('new.csv.partial'), 'utf8'), 'mine');
    assert.ok((await run('out.csv', 'old.csv'))?.resumedFrom);
  });

  it('do not include those of another run if this one has none yet', async t => {
    const { at, run, stopped } = await bench(t);
    await stopped('good.out.csv', 'bad.csv', 'good.csv');
    await stopped('out.csv', 'bad.csv');
    const left = await readFile(at('bad.csv.partial'));
    await assert.rejects(run('good.out.csv', 'bad.csv', { input: at('good.csv') }), { code: 'foreign_file' });
    assert.deepEqual(await readFile(at('bad.csv.partial')), left);
    const { rowCounts } = (await run('out.csv', 'bad.csv')) ?? {};
    assert.equal(rowCounts?.rejected, 6);
    assert.equal((await readFile(at('bad.csv'), 'utf8')).split('\n').length, 8);
    assert.ok((await run('good.out.csv', 'bad.csv', { input: at('good.csv') }))?.resumedFrom);
  });

  it('are not removed by another run with the same rejects file after a kill', async t => {
    const { at, names, run, stopped } = await bench(t);
    await stopped('out.csv', 'bad.csv');
    for (const name of ['out.csv', 'bad.csv']) {
      const dead = { ...thisProcess(), started: 'never', output: resolve(at('out.csv')) };
      await writeFile(lockOf(at(name)), JSON.stringify(dead));
    }
    await assert.rejects(run('other.csv', 'bad.csv'), { code: 'foreign_file' });
    assert.ok((await run('out.csv', 'bad.csv'))?.resumedFrom);
    assert.deepEqual(await names(), ['bad.csv', 'out.csv']);
  });
});
