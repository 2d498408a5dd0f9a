import assert from 'node:assert/strict';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { newFolder } from '../../support/folder.ts';
import { rowcast } from '../../support/in-process.ts';
import { type StubOptions, startStub } from '../../support/stub/service.ts';

/** Of 100 rows, 90 are those of the night before, and two of the others are equal. */
const csv = (from: number): string =>
  `id,x\n${Array.from({ length: 100 }, (_, row) => `${row},${Math.min(from + row, from + 98)}`).join('\n')}\n`;

async function secondNight(t: TestContext, report: StubOptions['report'] = { model_sha256: 'a'.repeat(64) }) {
  const cwd = await newFolder(t, { 'one.csv': csv(0), 'two.csv': csv(10) });
  const stub = await startStub(t, { report: { classes: ['no', 'yes'], ...report } });
  const run = (...args: string[]) =>
    rowcast([...args, '--report', 'r', '--features', 'x'], { cwd, env: stub.env });
  const first = await run('score', 'one.csv', '-o', 'old.csv', '--reuse', 'none', '--reuse-max-age', '1d');
  assert.equal(first.code, 0, first.stderr);
  stub.bodies.length = 0;
  return { cwd, stub, run };
}

const options = ['two.csv', '-o', 'new.csv', '--reuse', 'old.csv', '--dedupe', '--price-per-1000', '50'];

describe('what rows that are not sent save', () => {
  it('is estimated by a plan, without sending any', async t => {
    const { run, stub } = await secondNight(t);
    const { code, stdout, stderr } = await run('plan', ...options);
    assert.equal(code, 0, stderr);
    assert.match(
      stdout.toString(),
      /^not paid +of the first 100 rows \(89 reused, 89%, 1 equal, 1%\); about 10 are sent$/m,
    );
    assert.match(
      stdout.toString(),
      /^100 rows, about 10 sent, 1 request, .*, cost 0\.50, about 4\.50 saved$/m,
    );
    const planned = JSON.parse((await run('plan', ...options, '--json')).stdout.toString());
    assert.deepEqual([planned.rows_sent, planned.cost, planned.saved], [10, 0.5, 4.5]);
    assert.deepEqual(planned.inputs[0].sample, { rows: 100, reused: 89, equal: 1 });
    assert.equal(stub.bodies.length, 0);
  });

  it('is said by the run, its summary, page and metrics', async t => {
    const { cwd, run } = await secondNight(t);
    const files = ['--summary', 's.json', '--summary-html', 's.html', '--metrics', 's.prom'];
    const { code, stderr } = await run('score', ...options, ...files);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /100 rows scored \(89 reused, 89%, 1 equal, 1%, 4\.50 saved\)/);
    const { rows, saved } = JSON.parse(await readFile(join(cwd, 's.json'), 'utf8'));
    assert.deepEqual([rows.reused, rows.equal, saved], [89, 1, 4.5]);
    assert.match(await readFile(join(cwd, 's.prom'), 'utf8'), /^rowcast_run_saved\{.*\} 4\.5$/m);
    assert.match(await readFile(join(cwd, 's.html'), 'utf8'), /Saved[\s\S]{0,80}4\.50/);
  });
});

describe('a plan with --reuse', () => {
  it('is refused as the run would be', async t => {
    const { cwd, run } = await secondNight(t, {});
    for (const args of [
      ['--reuse', 'old.csv'],
      ['--reuse', 'old.csv', '--reuse-max-age', '1d', '--prefix', 'p'],
      ['--reuse', 'two.csv', '--reuse-max-age', '1d'],
    ]) {
      const [planned, scored] = [
        await run('plan', 'two.csv', '-o', 'new.csv', ...args),
        await run('score', 'two.csv', '-o', 'new.csv', ...args),
      ];
      assert.deepEqual([planned.code, scored.code], [2, 2], planned.stderr);
      assert.equal(planned.stderr, scored.stderr.replace(/^rowcast: scoring .*\n/, ''));
    }
    await appendFile(join(cwd, 'old.csv'), '1,1,0.5,0.5\n');
    const changed = await run('plan', ...options, '--reuse-max-age', '1d');
    assert.match(changed.stderr, /the file was changed or repaired since its run has finished/);
  });

  it('looks for the earlier output of each of several inputs', async t => {
    const { cwd, run } = await secondNight(t);
    await writeFile(join(cwd, 'new-1.csv'), await readFile(join(cwd, 'one.csv')));
    const several = ['one.csv', 'two.csv', '-o', 'out/{name}.csv', '--reuse', 'out/{name}.csv'];
    assert.equal((await run('score', ...several)).code, 0);
    const planned = JSON.parse((await run('plan', ...several, '--json')).stdout.toString());
    assert.deepEqual([planned.rows, planned.rows_sent, planned.requests], [200, 0, 0]);
  });
});
