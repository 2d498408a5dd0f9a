import assert from 'node:assert/strict';
import {
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { newFolder } from '../../support/folder.ts';
import { rowcast } from '../../support/in-process.ts';
import { root } from '../../support/root.ts';
import { exits, rowcast as rowcastAlone } from '../../support/rowcast.ts';
import { type StubOptions, send, startStub } from '../../support/stub/service.ts';

const described = { classes: ['no', 'yes'], model_sha256: 'a'.repeat(64) };

async function service(t: TestContext, options: StubOptions = {}) {
  const cwd = await newFolder(t);
  const stub = await startStub(t, { report: described, ...options });
  const run = async (...args: string[]) => {
    stub.bodies.length = 0;
    const { code, stderr } = await rowcast(['score', '--report', 'r', ...args], { cwd, env: stub.env });
    return { code, stderr, sent: stub.bodies.reduce((sum, { personas }) => sum + personas.length, 0) };
  };
  const isSame = async (one: string, other: string): Promise<void> =>
    assert.ok((await readFile(join(cwd, one))).equals(await readFile(join(cwd, other))), other);
  return { cwd, stub, run, isSame, file: (name: string) => join(cwd, name) };
}

const rows = (count: number): string =>
  `id,x\n${Array.from({ length: count }, (_, row) => `${row},${row * 3}`).join('\n')}\n`;

describe('an earlier output', () => {
  it('may be Parquet with dates, times, decimals, nulls and members, of other writers', async t => {
    const { file, run, isSame } = await service(t);
    const folder = join(root, 'fixtures/parquet');
    const names = (await readdir(folder)).filter(name => name.endsWith('.parquet'));
    let compared = 0;
    for (const name of names) {
      await copyFile(join(folder, name), file(name));
      const first = await run(name, '-o', 'one.parquet', '--reuse', 'none');
      if (first.code !== 0) continue;
      const again = await run(name, '-o', 'two.parquet', '--reuse', 'one.parquet');
      assert.equal(again.code, 0, `${name}: ${again.stderr}`);
      assert.equal(again.sent, 0, name);
      await isSame('one.parquet', 'two.parquet');
      compared++;
    }
    assert.ok(compared > 6, `${compared}`);
  });

  it('may be a link, and the link that is replaced', async t => {
    const { file, run, isSame } = await service(t);
    await writeFile(file('in.csv'), rows(30));
    assert.equal((await run('in.csv', '-o', 'old.csv', '--reuse', 'none')).code, 0);
    await mkdir(file('nights'));
    for (const name of ['old.csv', 'old.csv.reuse']) await rename(file(name), file(`nights/${name}`));
    for (const name of ['old.csv', 'old.csv.reuse']) await symlink(`nights/${name}`, file(name));
    const { code, sent, stderr } = await run('in.csv', '-o', 'new.csv', '--reuse', 'old.csv');
    assert.deepEqual([code, sent], [0, 0], stderr);
    await isSame('nights/old.csv', 'new.csv');
  });

  it('is refused if it is empty, cut off, a folder, or not finished', async t => {
    const { file, run } = await service(t);
    await writeFile(file('in.csv'), rows(30));
    assert.equal((await run('in.csv', '-o', 'old.csv', '--reuse', 'none')).code, 0);
    const refused = async (name: string, why: RegExp): Promise<void> => {
      const { code, sent, stderr } = await run('in.csv', '-o', 'new.csv', '--reuse', name);
      assert.deepEqual([code, sent], [2, 0], stderr);
      assert.match(stderr, why);
    };
    await copyFile(file('old.csv'), file('cut.csv'));
    await copyFile(file('old.csv.reuse'), file('cut.csv.reuse'));
    await truncate(file('cut.csv'), 200);
    await refused('cut.csv', /the file was changed or repaired since its run has finished/);
    await truncate(file('cut.csv'), 0);
    await refused('cut.csv', /the file was changed or repaired since its run has finished/);
    await writeFile(file('empty.csv'), '');
    await refused('empty.csv', /there is no empty\.csv\.reuse/);
    await mkdir(file('folder'));
    await refused('folder', /there is no folder\.reuse/);
    await copyFile(file('old.csv'), file('begun.csv.partial'));
    const { code, sent, stderr } = await run('in.csv', '-o', 'new.csv', '--reuse', 'begun.csv');
    assert.deepEqual([code, sent], [0, 30], stderr);
  });

  it('has no rows, or columns with the same name, as the input has', async t => {
    const { file, run, isSame } = await service(t);
    await writeFile(file('none.csv'), 'id,x\n');
    const none = await run('none.csv', '-o', 'old.csv', '--reuse', 'first', '--classes', 'no,yes');
    assert.equal(none.code, 0, none.stderr);
    await writeFile(file('in.csv'), rows(30));
    const all = await run('in.csv', '-o', 'new.csv', '--reuse', 'old.csv', '--classes', 'no,yes');
    assert.deepEqual([all.code, all.sent], [0, 30], all.stderr);

    await writeFile(
      file('twice.csv'),
      rows(30)
        .replace('id,x', 'id,x,id')
        .replaceAll(/^(\d+,\d+)$/gm, '$1,7'),
    );
    const twice = ['twice.csv', '--features', 'x'];
    assert.equal((await run(...twice, '-o', 'a.csv', '--reuse', 'first')).code, 0);
    const again = await run(...twice, '-o', 'b.csv', '--reuse', 'a.csv');
    assert.deepEqual([again.code, again.sent], [0, 0], again.stderr);
    await isSame('a.csv', 'b.csv');
  });

  it('that is the output itself, of a run that was killed before it told what made it, is written again', async t => {
    const { cwd, file, run } = await service(t);
    await writeFile(file('in.csv'), rows(30));
    for (const own of ['out.csv', './out.csv', join(cwd, 'out.csv')]) {
      assert.equal((await run('in.csv', '-o', 'out.csv', '--reuse', 'none')).code, 0);
      await rm(file('out.csv.reuse'));
      const { code, sent, stderr } = await run('in.csv', '-o', 'out.csv', '--reuse', own);
      assert.deepEqual([code, sent], [0, 30], stderr);
      assert.equal((await run('in.csv', '-o', 'out.csv', '--reuse', own)).sent, 0);
    }
  });

  it('whose rows cannot be written to a temporary file ends the run, which names the folder', async t => {
    const { cwd, stub, file, run } = await service(t);
    await writeFile(file('in.csv'), rows(100_000));
    assert.equal((await run('in.csv', '-o', 'old.csv', '--reuse', 'none')).code, 0);
    const [header = '', ...shuffled] = rows(100_000).trimEnd().split('\n');
    await writeFile(file('other.csv'), `${[header, ...shuffled.reverse()].join('\n')}\n`);
    const args = 'score other.csv -o new.csv --report r --reuse old.csv --reuse-memory 1MiB'.split(' ');
    const without = rowcastAlone(args, { cwd, env: { ...stub.env, TMPDIR: file('no-folder') } });
    await exits(without, 3, /no-folder.*cannot keep earlier predictions.*\[unwritable_output\].*TMPDIR/s);
    const resumed = await run(...args.slice(1).filter(arg => !['--report', 'r'].includes(arg)));
    assert.equal(resumed.code, 0, resumed.stderr);
  });

  it('that was replaced since the unfinished run began is named', async t => {
    let isDown = false;
    const { file, run, isSame } = await service(t, {
      behave({ number, response }) {
        if (!isDown || number < 2) return false;
        send(response, 401, { error: 'no such key' });
        return true;
      },
    });
    await writeFile(file('in.csv'), rows(30));
    await writeFile(file('more.csv'), rows(90));
    assert.equal((await run('in.csv', '-o', 'old.csv', '--reuse', 'none')).code, 0);
    const command = ['more.csv', '-o', 'new.csv', '--reuse', 'old.csv', '--batch-rows', '10'];
    command.push('--checkpoint-interval', '0', '--concurrency', '1');
    isDown = true;
    assert.equal((await run(...command)).code, 3);
    isDown = false;
    await copyFile(file('old.csv'), file('kept.csv'));
    await copyFile(file('old.csv.reuse'), file('kept.csv.reuse'));
    assert.equal((await run('in.csv', '-o', 'old.csv', '--reuse', 'none')).code, 0);
    const { code, stderr } = await run(...command);
    assert.equal(code, 2);
    assert.match(
      stderr,
      /\(--reuse was old\.csv \(run [\w-]+, [\d,]+ bytes, .*\), now it is old\.csv \(run /,
    );
    assert.equal((await run(...command, '--restart')).code, 0);
    await run('more.csv', '-o', 'full.csv');
    await isSame('full.csv', 'new.csv');
  });
});
