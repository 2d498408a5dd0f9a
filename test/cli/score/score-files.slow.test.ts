import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { exits } from '../../support/rowcast.ts';
import { all, csv, filesWith } from '../../support/scoring/files.ts';

it('200 files, three of them bad, are scored but for those, and the next run scores only the rest', {
  timeout: 300_000,
}, async t => {
  const files: Record<string, string | Buffer> = {};
  for (let i = 0; i < 200; i++) files[`in/${i % 4}/f${i}.csv.gz`] = gzipSync(csv(5, i));
  files['in/1/f1.csv.gz'] = gzipSync(csv(50)).subarray(0, 60);
  files['in/2/f2.csv.gz'] = gzipSync('ID,Amount\n1,2\n');
  files['in/3/f3.csv.gz'] = gzipSync('id,amount\n1,"2\n');
  const { score, summary, cwd, stub } = await filesWith(t, files);
  await exits(
    score(all),
    3,
    /in\/1\/f1\.csv\.gz: the gzip data is truncated \[bad_gzip\]/,
    /in\/2\/f2\.csv\.gz:1: .*\[missing_columns\]\n.*names differ only in upper and lower case/,
    /200 files: 197 scored, 3 not scored; 985 rows scored/,
  );
  const { status, exit_code, rows, runs } = await summary();
  assert.deepEqual([status, exit_code, rows.scored, runs.length], ['stopped', 3, 985, 200]);
  const failed = runs.filter((run: { status: string }) => run.status !== 'finished');
  assert.deepEqual(
    failed.map(({ input, error }: { input: string; error: { code: string } }) => [
      relative(cwd, input),
      error.code,
    ]),
    [
      ['in/1/f1.csv.gz', 'bad_gzip'],
      ['in/2/f2.csv.gz', 'missing_columns'],
      ['in/3/f3.csv.gz', 'unclosed_quote'],
    ],
  );
  assert.equal((await readdir(join(cwd, 'out'))).filter(name => name.endsWith('.csv')).length, 197);

  const calls = stub.bodies.length;
  for (const i of [1, 2, 3]) await writeFile(join(cwd, `in/${i}/f${i}.csv.gz`), gzipSync(csv(5, i)));
  await exits(score(all), 0, /200 files: 3 scored, 197 unchanged or skipped; 15 rows scored/);
  assert.equal(stub.bodies.length - calls, 3);
  await exits(score(all), 0);
  assert.equal((await summary()).status, 'skipped');
});
