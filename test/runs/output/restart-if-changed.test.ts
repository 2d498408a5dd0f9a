import assert from 'node:assert/strict';
import { access, readdir, readFile, rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { newFolder } from '../../support/folder.ts';
import { exits, rowcast } from '../../support/in-process.ts';
import { slow } from '../../support/slow.ts';
import { send, startStub } from '../../support/stub/service.ts';

const csv = (rows: number, value = 'a'): string =>
  `id,x\n${Array.from({ length: rows }, (_, row) => `r${row},${value}\n`).join('')}`;

/** A run of 40 rows that has stopped halfway, with a reject. */
async function stopped(t: TestContext) {
  let isWell = false;
  const { env } = await startStub(t, {
    report: { classes: ['no', 'yes'] },
    behave: ({ number, response }) => {
      if (isWell || number < 6) return false;
      send(response, 401, {});
      return true;
    },
  });
  const cwd = await newFolder(t, { 'in.csv': csv(40).replace('r1,a', 'r1') });
  const score = (...args: string[]) =>
    rowcast([...'score in.csv -o out.csv --report r --batch-rows 4 --concurrency 1'.split(' '), ...args], {
      cwd,
      env,
    });
  assert.equal((await score()).code, 3);
  const files = async () => (await readdir(cwd)).filter(name => name.startsWith('out')).sort();
  assert.deepEqual(await files(), ['out.csv.checkpoint', 'out.csv.partial', 'out.csv.rejects.partial']);
  const partial = await readFile(join(cwd, 'out.csv.partial'));
  const setWell = (is: boolean): void => {
    isWell = is;
  };
  return { cwd, score, files, partial, heal: () => setWell(true), fail: () => setWell(false) };
}

const old = ['out.csv.checkpoint.old', 'out.csv.partial.old', 'out.csv.rejects.partial.old'];

describe('an unfinished run of different work', () => {
  slow('is refused, or kept aside with --restart-if-changed until the new run finishes', async t => {
    const { cwd, score, files, partial, heal, fail } = await stopped(t);
    await writeFile(join(cwd, 'in.csv'), csv(60));
    assert.equal((await score()).code, 2);
    fail();
    assert.match((await score('--restart-if-changed')).stderr, /\[http_401\]|\[unauthorized\]/);
    const kept = (await files()).filter(name => name.endsWith('.old'));
    assert.deepEqual(kept, old);
    assert.deepEqual(await readFile(join(cwd, 'out.csv.partial.old')), partial);
    heal();
    assert.equal((await score('--restart-if-changed')).code, 0);
    assert.deepEqual(await files(), ['out.csv']);
    assert.equal((await readFile(join(cwd, 'out.csv'), 'utf8')).split('\n').length, 62);
  });

  it('is noticed by the bytes of an input of the same size', async t => {
    const { cwd, score, files, heal } = await stopped(t);
    heal();
    await writeFile(join(cwd, 'in.csv'), csv(40, 'b').replace('r1,b', 'r1'));
    await utimes(join(cwd, 'in.csv'), 1, 1);
    assert.equal((await score()).code, 2);
    await exits(score('--restart-if-changed'), 1);
    assert.match(await readFile(join(cwd, 'out.csv'), 'utf8'), /^r0,b,/m);
    assert.deepEqual(await files(), ['out.csv', 'out.csv.rejects']);
  });

  it('can be resumed after its files are moved back', async t => {
    const { cwd, score, heal, fail } = await stopped(t);
    const input = await readFile(join(cwd, 'in.csv'));
    await writeFile(join(cwd, 'in.csv'), csv(60));
    fail();
    await score('--restart-if-changed', '--prediction');
    for (const name of old) await rename(join(cwd, name), join(cwd, name.replace('.old', '')));
    await writeFile(join(cwd, 'in.csv'), input);
    heal();
    await exits(score('--restart-if-changed'), 1, /resuming at row/);
  });

  it('does not replace a file of that name that is not ours, and leaves it alone', async t => {
    const { cwd, score, heal } = await stopped(t);
    heal();
    await writeFile(join(cwd, 'out.csv.partial.old'), 'mine');
    await writeFile(join(cwd, 'in.csv'), csv(60));
    await exits(score('--restart-if-changed'), 2, /out\.csv\.partial\.old: .* \[foreign_file\]/);
    assert.equal((await score('--restart')).code, 0);
    await access(join(cwd, 'out.csv.partial.old'));
  });
});
