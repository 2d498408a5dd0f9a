import assert from 'node:assert/strict';
import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { commandsIn } from '../support/cli/commands.ts';
import { exits } from '../support/in-process.ts';
import { root } from '../support/root.ts';
import { startStub } from '../support/stub/service.ts';

const modesIn = async (folder: string): Promise<Record<string, string>> => {
  const modes: Record<string, string> = {};
  for (const name of (await readdir(folder)).sort())
    modes[name] = ((await stat(join(folder, name))).mode & 0o777).toString(8);
  return modes;
};

describe('the files of a run', () => {
  it('are readable for whom the umask allows, or with --private for their owner only', async t => {
    const { env } = await startStub(t);
    const row = await readFile(join(root, 'fixtures/edge-cases/ragged-short.csv'));
    const { cwd, path, run } = await commandsIn(t, { 'in.csv': row }, env);
    const umask = process.umask(0o027);
    t.after(() => process.umask(umask));
    await chmod(path('in.csv'), 0o600);
    const score = async (more = ''): Promise<Record<string, string>> => {
      await exits(run(`score in.csv --report r -o out.csv --summary summary.json ${more}`), 1);
      const { 'in.csv': _, ...modes } = await modesIn(cwd);
      return modes;
    };
    assert.deepEqual(await score(), { 'out.csv': '640', 'out.csv.rejects': '640', 'summary.json': '640' });
    await chmod(path('out.csv'), 0o604);
    assert.deepEqual(await score(), { 'out.csv': '604', 'out.csv.rejects': '640', 'summary.json': '640' });
    assert.deepEqual(await score('--private'), {
      'out.csv': '600',
      'out.csv.rejects': '600',
      'summary.json': '600',
    });
  });
});
