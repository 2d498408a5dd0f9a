import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsIn } from '../support/cli/commands.ts';
import { exits } from '../support/in-process.ts';
import { csv, history } from '../support/service/history.ts';
import { trainedHome } from '../support/service/serving.ts';

test('a repaired output of several is not scored again, and its folder has no more rejects', async t => {
  const input = csv(history({ rows: 5 }));
  const { run, read, write } = await commandsIn(t, { 'in/a.csv': `${input}id-9,35.10\n`, 'in/b.csv': input });
  const local = `--report one --home ${await trainedHome()}`;

  const files = `score in/*.csv -o out/{name}/{name}.csv ${local}`;
  await exits(run(files), 1);
  const rejects = await read('out/a/a.csv.rejects');
  await write('corrected.csv', rejects.replace('id-9,35.10', 'id-9,35.10,Basic,7,'));
  await exits(run(`score corrected.csv -o scored.csv ${local}`), 0);
  await exits(run('repair out/a/a.csv scored.csv'), 0);
  const bytes = await read('out/a/a.csv');
  assert.match(bytes, /^id-9,35\.10,Basic,7,,0\./m);

  await exits(
    run('repair out/a/a.csv scored.csv'),
    0,
    /out\/a\/a\.csv: nothing is left to repair; 1 row was repaired before/,
  );

  await exits(run(`${files} --if-exists skip-unchanged`), 0, /2 unchanged or skipped/);
  assert.equal(await read('out/a/a.csv'), bytes);
});
