import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { preview } from '../../../src/cli/commands/run.ts';
import { newFolder } from '../../support/folder.ts';

it('the preview shows the first column and the appended ones of the first rows', async t => {
  const folder = await newFolder(t);
  const [input, output] = [join(folder, 'in.csv'), join(folder, 'out.csv')];
  await writeFile(input, `id,plan\n${'P-1,basic\n'.repeat(9)}`);
  await writeFile(output, `id,plan,probability_no,predicted\n${'P-1,basic,0.25,yes\n'.repeat(9)}`);
  const lines = (await preview({ input, output })).trimEnd().split('\n');
  assert.equal(lines.length, 6);
  assert.equal(lines[0], 'id   …  probability_no  predicted');
  assert.equal(lines[1], 'P-1  …  0.25            yes');
});
