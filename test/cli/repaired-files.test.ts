import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { newFolder } from '../support/folder.ts';
import { exits, rowcast } from '../support/in-process.ts';
import { csv, history } from '../support/service/history.ts';
import { trainedHome } from '../support/service/serving.ts';

test('a repaired output of several is not scored again, and its folder has no more rejects', async t => {
  const cwd = await newFolder(t);
  const run = (...args: string[]) => rowcast(args, { cwd });
  const local = ['--report', 'one', '--home', await trainedHome()];
  await mkdir(join(cwd, 'in'));
  for (const name of ['a', 'b']) await writeFile(join(cwd, `in/${name}.csv`), csv(history({ rows: 5 })));
  await writeFile(join(cwd, 'in/a.csv'), 'id-9,35.10\n', { flag: 'a' });

  const files = ['score', 'in/*.csv', '-o', 'out/{name}/{name}.csv', ...local];
  assert.equal((await run(...files)).code, 1);
  const rejects = await readFile(join(cwd, 'out/a/a.csv.rejects'), 'utf8');
  await writeFile(join(cwd, 'corrected.csv'), rejects.replace('id-9,35.10', 'id-9,35.10,Basic,7,'));
  assert.equal((await run('score', 'corrected.csv', '-o', 'scored.csv', ...local)).code, 0);
  await exits(run('repair', 'out/a/a.csv', 'scored.csv'), 0);
  const bytes = await readFile(join(cwd, 'out/a/a.csv'), 'utf8');
  assert.match(bytes, /^id-9,35\.10,Basic,7,,0\./m);

  await exits(
    run('repair', 'out/a/a.csv', 'scored.csv'),
    0,
    /out\/a\/a\.csv: nothing is left to repair; 1 row was repaired before/,
  );

  await exits(run(...files, '--if-exists', 'skip-unchanged'), 0, /2 unchanged or skipped/);
  assert.equal(await readFile(join(cwd, 'out/a/a.csv'), 'utf8'), bytes);
});
