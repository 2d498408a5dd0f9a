import assert from 'node:assert/strict';
import { link, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pairFiles } from '../../../src/runs/several/pair-files.ts';
import { newFolder } from '../../support/folder.ts';

const inputs = (...paths: string[]) => paths.map(path => ({ path, dir: '.' }));

describe('several inputs', () => {
  it('each have an output of their own, and rejects', async () => {
    const pairs = await pairFiles(inputs('in/a.csv', 'in/b.csv'), {
      output: 'out/{name}.csv',
      rejects: 'bad/{name}.csv',
    });
    assert.deepEqual(pairs, [
      { input: 'in/a.csv', output: 'out/a.csv', rejects: 'bad/a.csv' },
      { input: 'in/b.csv', output: 'out/b.csv', rejects: 'bad/b.csv' },
    ]);
  });

  it('cannot share a plain name of an output or of rejects', async () => {
    for (const options of [
      { output: 'all.csv', rejects: undefined },
      { output: '-', rejects: undefined },
      { output: '{name}', rejects: 'bad.csv' },
    ])
      await assert.rejects(pairFiles(inputs('a.csv', 'b.csv'), options), { code: 'usage', hint: /{name}/ });
    await assert.rejects(pairFiles(inputs('a', 'b'), { output: '-', rejects: undefined }), /to stdout$/);
  });

  it('cannot write the same file, whatever it is for', async () => {
    const refused = (paths: string[], output: string, rejects?: string) =>
      assert.rejects(pairFiles(inputs(...paths), { output, rejects }), { code: 'same_output' });
    await refused(['eu/a.csv', 'us/a.csv'], 'out/{name}.csv');
    await refused(['eu/a.csv', 'us/b.csv'], 'out/{dir}.csv');
    await refused(['a.csv', 'a.rejects.csv'], 'out/{name}');
    await refused(['a.csv', 'b.csv'], 'out/{name}.csv', 'out/{dir}x.csv');
  });

  it('cannot share a file that has two names', async t => {
    const folder = await newFolder(t);
    await mkdir(join(folder, 'out'));
    await writeFile(join(folder, 'out/a.csv'), '');
    await link(join(folder, 'out/a.csv'), join(folder, 'out/b.csv'));
    const options = { output: join(folder, 'out/{name}.csv'), rejects: undefined };
    await assert.rejects(pairFiles(inputs('a.csv', 'b.csv'), options), { code: 'same_output' });
  });

  it('cannot be written', async t => {
    const folder = await newFolder(t);
    await mkdir(join(folder, 'in'));
    await symlink('in', join(folder, 'out'));
    const paths = inputs(join(folder, 'in/a.csv'), join(folder, 'in/a.scored.csv'));
    for (const output of ['in/{name}.scored.csv', 'out/{name}.scored.csv'])
      await assert.rejects(pairFiles(paths, { output: join(folder, output), rejects: undefined }), {
        code: 'output_is_input',
      });
  });

  it('cannot be a file next to an output, under whatever name', async t => {
    const folder = await newFolder(t);
    for (const suffix of ['.partial', '.rejects', '.checkpoint']) {
      const beside = join(folder, `a.out${suffix}`);
      await writeFile(beside, '');
      await link(beside, join(folder, `same${suffix}.csv`));
      for (const name of [`a.out${suffix}`, `same${suffix}.csv`])
        await assert.rejects(
          pairFiles(inputs(join(folder, 'a.csv'), join(folder, name)), {
            output: join(folder, '{name}.out'),
            rejects: undefined,
          }),
          { code: 'output_is_input' },
          name,
        );
      await assert.rejects(
        pairFiles(inputs('a.csv', 'b.csv'), {
          output: join(folder, '{name}.out'),
          rejects: undefined,
          others: { 'the summary': beside },
        }),
        { code: 'same_output' },
      );
    }
  });

  it('cannot write other files of the command', async () => {
    const others = { 'the summary': 'out/a.csv' };
    await assert.rejects(
      pairFiles(inputs('a.csv'), { output: 'out/{name}.csv', rejects: undefined, others }),
      {
        code: 'same_output',
        message: /^the summary and a.csv/,
      },
    );
  });
});
