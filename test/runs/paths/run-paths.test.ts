import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createReadStream, existsSync } from 'node:fs';
import { link, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { lockOutput, lockRunPaths } from '../../../src/runs/paths/lock-paths.ts';
import type { RunPathsOptions } from '../../../src/runs/paths/run-paths.ts';
import { newFolder } from '../../support/folder.ts';
import { job } from '../../support/scoring/job.ts';
import { score } from '../../support/scoring/score.ts';
import { connect } from '../../support/stub/connect.ts';

/** A folder with files of one line each: their names. */
async function folderOf(t: TestContext, ...names: string[]): Promise<string> {
  const folder = await newFolder(t);
  for (const name of names) await writeFile(join(folder, name), `${name}\n`);
  return folder;
}

type Paths = RunPathsOptions & { output: string };

/** Takes paths relative to a folder; `-` is unchanged. */
const take = (folder: string, options: Paths) => {
  const at = (path: string): string => (path === '-' || path.startsWith('/') ? path : join(folder, path));
  const { input = '-', output, rejects, summary } = options;
  return lockRunPaths({
    input: at(input),
    output: at(output),
    ...(rejects !== undefined && { rejects: at(rejects) }),
    ...(summary !== undefined && { summary: at(summary) }),
  });
};

async function assertRefused(folder: string, options: Paths, code: string): Promise<void> {
  const names = (await readdir(folder)).sort();
  await assert.rejects(take(folder, options), { code, severity: 'refused' }, JSON.stringify(options));
  assert.deepEqual((await readdir(folder)).sort(), names);
  for (const name of names) assert.equal(await readFile(join(folder, name), 'utf8'), `${name}\n`);
}

describe('an output path that is also an input', { concurrency: true }, () => {
  it('is refused, whichever file of the run it is', async t => {
    for (const [input, options] of [
      ['out.csv', {}],
      ['out.csv.partial', {}],
      ['out.csv.checkpoint', {}],
      ['out.csv.checkpoint.new', {}],
      ['out.csv.lock', {}],
      ['out.csv.lock.0123456789abcdef', {}],
      ['out.csv.rejects', {}],
      ['out.csv.rejects.partial', {}],
      ['bad.csv', { rejects: 'bad.csv' }],
      ['bad.csv.partial', { rejects: 'bad.csv' }],
      ['bad.csv', { rejects: 'bad.csv', output: '-' }],
      ['sum.json', { summary: 'sum.json' }],
      ['sum.json.partial', { summary: 'sum.json', output: '-' }],
    ] as const)
      await assertRefused(
        await folderOf(t, input),
        { input, output: 'out.csv', ...options },
        'output_is_input',
      );
  });

  it('is refused under any other name', async t => {
    const folder = await folderOf(t, 'in.csv');
    await link(join(folder, 'in.csv'), join(folder, 'hard.csv'));
    await symlink('in.csv', join(folder, 'soft.csv'));
    await symlink('in.csv', join(folder, 'out.csv.partial'));
    const inner = join(folder, 'inner');
    await mkdir(inner);
    for (const path of ['in.csv', './in.csv', 'inner/../in.csv', 'hard.csv', 'soft.csv', 'out.csv'])
      for (const input of ['in.csv', 'soft.csv'])
        for (const options of [{ output: path }, { output: 'other.csv', summary: path }]) {
          if (path === 'out.csv' && 'summary' in options) continue;
          await assert.rejects(take(folder, { input, ...options }), { code: 'output_is_input' }, path);
        }
    assert.equal(await readFile(join(folder, 'in.csv'), 'utf8'), 'in.csv\n');
  });

  it('is refused for a command that writes a single file', async t => {
    const folder = await folderOf(t, 'in.csv', 'key');
    const at = (name: string): string => join(folder, name);
    const reads = [{ at: at('key'), what: 'the API key', option: '--api-key-file' }];
    for (const output of ['in.csv', 'key'])
      await assert.rejects(lockOutput(at(output), at('in.csv'), { reads }), {
        code: 'output_is_input',
        location: { file: at(output) },
      });
    const { release } = await lockOutput(at('out.csv'), at('in.csv'), { reads });
    await release();
    assert.deepEqual((await readdir(folder)).sort(), ['in.csv', 'key']);
  });

  it('is allowed for a device', async t => {
    const folder = await newFolder(t);
    for (const output of ['/dev/null', 'out.csv'])
      await (await take(folder, { input: '/dev/null', output })).release();
    assert.deepEqual(await readdir(folder), []);
  });
});

describe('two outputs of one run', { concurrency: true }, () => {
  it('that are the same file are refused', async t => {
    for (const options of [
      { rejects: 'out.csv' },
      { rejects: 'out.csv.partial' },
      { rejects: 'out.csv.checkpoint' },
      { rejects: 'out.csv.checkpoint.new' },
      { rejects: 'out.csv.lock' },
      { summary: 'out.csv' },
      { summary: 'out.csv.rejects' },
      { summary: 'out.csv.rejects.partial' },
      { rejects: 'x', summary: 'x' },
      { rejects: 'x', summary: 'x.partial' },
      { rejects: 'x', summary: 'X' },
      { output: '-', rejects: 'x', summary: 'x' },
      { output: '-', summary: '-' },
    ])
      await assertRefused(
        await folderOf(t, 'in.csv'),
        { input: 'in.csv', output: 'out.csv', ...options },
        'same_output',
      );
  });

  it('may have names that differ only in case if both files exist', async t => {
    const folder = await folderOf(t, 'in.csv', 'x', 'X');
    if ((await readdir(folder)).length < 3) return t.skip('the file system ignores case');
    const held = await take(folder, { input: 'in.csv', output: 'out.csv', rejects: 'x', summary: 'X' });
    await held.release();
  });

  it('are refused before anything is written if a folder cannot be created', async t => {
    const folder = await folderOf(t, 'in.csv');
    for (const options of [
      { output: 'in.csv/out.csv' },
      { rejects: 'in.csv/bad.csv' },
      { summary: 'in.csv/s.json' },
    ])
      await assertRefused(folder, { input: 'in.csv', output: 'out.csv', ...options }, 'unwritable_output');
  });
});

describe('a file that does not belong to the run', { concurrency: true }, () => {
  it('is not overwritten by a temporary file', async t => {
    for (const name of ['out.csv.partial', 'out.csv.checkpoint.new', 'bad.csv.partial', 's.json.partial'])
      await assertRefused(
        await folderOf(t, 'in.csv', name),
        { input: 'in.csv', output: 'out.csv', rejects: 'bad.csv', summary: 's.json' },
        'foreign_file',
      );
  });

  it('is not overwritten at the default rejects path unless it is a rejects file', async t => {
    const folder = await folderOf(t, 'in.csv', 'out.csv.rejects');
    await assertRefused(folder, { input: 'in.csv', output: 'out.csv' }, 'foreign_file');
    for (const [head, code] of [
      ['reject_row,reject_line,reject_code,reject_reason,a\n', undefined],
      ['\ufeff"reject_row";"reject_line";"reject_code";"reject_reason";a\r\n', undefined],
      ['reject_row\treject_line\treject_code\treject_reason\ta', undefined],
      ['reject_row,reject_line,reject_code,reject_reasons\n', 'foreign_file'],
      ['a,reject_row,reject_line,reject_code,reject_reason\n', 'foreign_file'],
      ['', 'foreign_file'],
    ] as const) {
      await writeFile(join(folder, 'out.csv.rejects'), head);
      const held = take(folder, { input: 'in.csv', output: 'out.csv' });
      if (code !== undefined) await assert.rejects(held, { code }, head);
      else await (await held).release();
      assert.equal(await readFile(join(folder, 'out.csv.rejects'), 'utf8'), head);
    }
  });

  it('may be given as the rejects file or summary, and stays until the run has finished', async t => {
    const folder = await folderOf(t, 'in.csv', 'bad.csv');
    const { client } = await connect(t, {
      async behave() {
        assert.equal(await readFile(join(folder, 'bad.csv'), 'utf8'), 'bad.csv\n');
        return false;
      },
    });
    const at = (name: string): string => join(folder, name);
    await writeFile(at('in.csv'), 'id\n1\n');
    for (const output of [at('out.csv'), '/dev/null']) {
      await writeFile(at('bad.csv'), 'bad.csv\n');
      await score(job({ input: at('in.csv'), output, rejects: at('bad.csv') }), client);
      // Nothing was rejected: it contains only its header.
      assert.equal(
        await readFile(at('bad.csv'), 'utf8'),
        'reject_row,reject_line,reject_code,reject_reason,id\n',
      );
    }
  });
});

describe('runs with different outputs', () => {
  it('cannot share a rejects file or a summary', async t => {
    const folder = await folderOf(t, 'in.csv');
    const first = { input: 'in.csv', output: 'a.csv', rejects: 'bad.csv', summary: 's.json' };
    const held = await take(folder, first);
    for (const options of [
      { rejects: 'bad.csv' },
      { summary: 's.json' },
      { output: 'a.csv' },
      { output: 'bad.csv' },
      { output: '-', rejects: 'bad.csv' },
    ])
      await assert.rejects(take(folder, { input: 'in.csv', output: 'b.csv', ...options }), {
        code: 'locked',
      });
    await held.release();
    assert.deepEqual(await readdir(folder), ['in.csv']);
    await (await take(folder, first)).release();
  });
});

describe('an output whose name is as long as the file system allows', () => {
  it('works, with its rejects, and shares no file with one that differs in the last character', async t => {
    const folder = await folderOf(t);
    const input = join(folder, 'in.csv');
    await writeFile(input, 'a,b\n1,2\n3\n');
    const { client } = await connect(t);
    const names = ['x', 'y'].map(last => `${'é'.repeat(125)}.cs${last}`);
    for (const name of names) {
      assert.equal(Buffer.byteLength(name), 254);
      const other = await lockRunPaths({
        input,
        output: join(folder, names.find(each => each !== name) ?? ''),
      });
      await score(job({ input, output: join(folder, name) }), client);
      await other.release();
      assert.ok(existsSync(join(folder, name)));
    }
    const all = await readdir(folder);
    assert.equal(all.length, 5, all.join('\n'));
    assert.equal(all.filter(name => /^é+~[0-9a-f]{32}\.rejects$/.test(name)).length, 2);
    const [read] = await once(createReadStream(join(folder, names[0] ?? '')), 'data');
    assert.match(String(read), /^a,b,/);
  });
});
