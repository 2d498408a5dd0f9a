import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { commandsIn } from '../support/cli/commands.ts';
import { exits } from '../support/in-process.ts';
import { startStub } from '../support/stub/service.ts';

async function bench(t: TestContext, rows: string) {
  const { env } = await startStub(t);
  const commands = await commandsIn(t, { 'in.csv': `a,b\n${rows}` }, env);
  return { ...commands, run: (more: string) => commands.run(`score in.csv --report r ${more}`) };
}

describe('the metrics of a run', () => {
  it('are gauges in the OpenMetrics format, with the numbers of the summary', async t => {
    const { run, read, jsonIn } = await bench(t, '1,2\n3\n4,5\n');
    await exits(run('-o out"1".csv --metrics run.prom --summary s.json'), 1);
    const text = await read('run.prom');
    const summary = await jsonIn('s.json');
    const of = 'output="/.*/out\\\\"1\\\\".csv",report="r"';
    for (const sample of [
      `rowcast_run_info\\{${of},run_id="${summary.run_id}",version="[\\d.]+",service=".*",status="finished"\\} 1`,
      `rowcast_run_running\\{${of}\\} 0`,
      `rowcast_run_exit_code\\{${of}\\} 1`,
      `rowcast_run_rows\\{${of},result="scored"\\} 2`,
      `rowcast_run_rows\\{${of},result="rejected"\\} 1`,
      `rowcast_run_rejects\\{${of},code="too_few_fields"\\} 1`,
      `rowcast_run_end_time_seconds\\{${of}\\} ${Date.parse(summary.finished_at) / 1000}`,
      `rowcast_run_bytes\\{${of},direction="in"\\} ${summary.bytes_in}`,
    ])
      assert.match(text, new RegExp(`^${sample}$`, 'm'));
    assert.match(text, /\n# EOF\n$/);
    const names = [...text.matchAll(/^# TYPE (\S+) gauge$/gm)].map(([, name]) => name);
    assert.equal(new Set(names).size, names.length);
    assert.ok(
      text.split('\n').every(line => /^(# (TYPE|HELP|EOF)|rowcast_run_\w+\{.*\} [\d.]+$|$)/.test(line)),
    );
  });

  it('have the values of each column that are missing, and the mean of each probability', async t => {
    const { run, read, jsonIn } = await bench(t, '1,2\n,5\n3,4\n,6\n');
    await exits(run('-o out.csv --metrics run.prom --summary s.json'), 0);
    const text = await read('run.prom');
    const { columns, scores } = await jsonIn('s.json');
    assert.deepEqual(
      columns.map(({ missing_share }: { missing_share: number }) => missing_share),
      [0.5, 0],
    );
    assert.match(text, /^rowcast_run_column_missing_ratio\{.*,column="a"\} 0\.5$/m);
    assert.match(text, /^rowcast_run_column_missing_ratio\{.*,column="b"\} 0$/m);
    for (const [name, { mean }] of Object.entries<{ mean: number }>(scores))
      assert.match(text, new RegExp(`^rowcast_run_score_mean_ratio\\{.*,class="${name}"\\} ${mean}$`, 'm'));
    // Of an earlier run, and of what no report says, there is nothing.
    assert.doesNotMatch(text, /psi|mismatched|unseen/);
  });

  it('are of at most 100 columns', async t => {
    const { run, read, write } = await bench(t, '1,2\n');
    const columns = Array.from({ length: 150 }, (_, i) => `c${i}`);
    const values = columns.map((_, i) => (i === 140 ? '' : '1'));
    await write('in.csv', `${columns}\n${values}\n`);
    await exits(run('-o wide.csv --metrics run.prom'), 0);
    const text = await read('run.prom');
    assert.equal(text.match(/^rowcast_run_column_missing_ratio\{/gm)?.length, 100);
    assert.match(text, /column="c140"\} 1$/m);
  });

  it('also say how a run failed', async t => {
    const { run, read } = await bench(t, '1,2\n1,"2\n');
    await exits(run('-o out.csv --metrics run.prom'), 3);
    assert.match(await read('run.prom'), /status="stopped"[\s\S]*rowcast_run_exit_code\{.*\} 3\n/);
  });

  it('do not go to a file that the run uses otherwise, and neither does its page', async t => {
    const { run, read } = await bench(t, '1,2\n');
    for (const file of ['in.csv', 'out.csv', 'out.csv.checkpoint', 's.json'])
      for (const option of ['--metrics', '--summary-html'])
        await exits(run(`-o out.csv --summary s.json ${option} ${file}`), 2);
    await exits(run('-o out.csv --metrics same --summary-html same'), 2);
    assert.equal(await read('in.csv'), 'a,b\n1,2\n');
  });
});
