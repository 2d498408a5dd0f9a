import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import { commandsIn } from '../../support/cli/commands.ts';
import { exits } from '../../support/in-process.ts';
import { parquetOf } from '../../support/parquet.ts';
import { csv, history } from '../../support/service/history.ts';
import { trainedHome } from '../../support/service/serving.ts';
import { slow } from '../../support/slow.ts';
import { type StubOptions, send, startStub } from '../../support/stub/service.ts';

const columns = [
  { name: 'id', type: 'categorical' },
  { name: 'tenure', type: 'numerical' },
];

async function bench(
  t: TestContext,
  files: Readonly<Record<string, string | Buffer>>,
  options: StubOptions = {},
) {
  const stub = await startStub(t, { report: { columns, classes: ['no', 'yes'] }, ...options });
  const commands = await commandsIn(t, files, stub.env);
  const { run } = commands;
  return {
    ...commands,
    stub,
    plan: (line: string) => run(`plan ${line} --report r`),
    json: async (line: string) => JSON.parse((await run(`plan ${line} --report r --json`)).stdout),
  };
}

const rows = (count: number): string => `id,tenure,note\n${'a,1,x\n'.repeat(count)}`;

describe('rowcast plan', () => {
  it('shows columns, types, dialect, rows, requests and disk space, and writes nothing', async t => {
    const { plan, json, stub, cwd } = await bench(t, { 'in.csv': rows(2500) });
    const { stdout } = await exits(plan('in.csv -o out.csv'), 0);
    assert.match(stdout, /^sent +id \(categorical\), tenure \(numerical\)$/m);
    assert.match(stdout, /^rows +2,500, in 3 batches$/m);
    assert.match(stdout, /2,500 rows, 3 requests, up to [\d.]+ kB of disk space \([\d.]+ [MG]B free\)/);
    const { inputs, ...totals } = await json('in.csv -o out.csv --price-per-1000 0.5');
    assert.deepEqual([totals.rows, totals.is_exact, totals.requests, totals.cost], [2500, true, 3, 1.25]);
    assert.deepEqual(inputs[0].columns, {
      sent: columns,
      missing: [],
      not_sent: ['note'],
      did_you_mean: [],
    });
    assert.deepEqual([stub.bodies.length, await readdir(cwd)], [0, ['in.csv']]);
  });

  it('shows the columns that would be sent if an option is refused, and exits with 2', async t => {
    const first: StubOptions['first'] = (_, response) => {
      response.end('\n');
      return true;
    };
    const { plan } = await bench(t, { 'in.csv': rows(5) }, { first });
    const { stdout } = await exits(plan('in.csv --protocol mlflow --missing omit'), 2);
    assert.match(stdout, /^sent +id, tenure, note$/m);
    assert.match(stdout, /^refused +--missing omit is not possible where rows are sent as lists$/m);
  });

  it('shows missing columns and near misses, and exits with 2', async t => {
    const { plan, json } = await bench(t, { 'in.csv': 'id,Tenure\na,1\n' });
    const { stdout } = await exits(plan('in.csv'), 2, /\[missing_columns\]/);
    assert.match(stdout, /^missing +tenure$/m);
    assert.match(stdout, /^did you mean +tenure for Tenure\?$/m);
    const { inputs } = await json('in.csv');
    assert.deepEqual([inputs[0].error.code, inputs[0].rows], ['missing_columns', 1]);
  });

  it('ends as score does: for columns and quotes, members that are objects, and lines of Parquet', async t => {
    const files = {
      'in.csv': 'id,id,note\na,1,"x\n',
      'in.jsonl': '{"id":{"a":1}}\n{"id":{"a":2}}\n',
      'in.parquet': await parquetOf('id,s\n1,x\n2,y\n', { numbers: ['id'] }),
    };
    const { run, plan } = await bench(t, files, { report: { classes: ['no', 'yes'] } });
    for (const [line, wanted] of [
      ['in.csv', [2, 'duplicate_columns']],
      ['in.csv --features note', [3, 'unclosed_quote']],
      ['in.jsonl --features id', [0, undefined]],
      ['in.parquet --output-format jsonl', [0, undefined]],
    ] as const) {
      const [input] = line.split(' ');
      const planned = await plan(`${line} -o out`);
      const scored = await run(`score ${line} --report r -o of-${input}`);
      const outcomes = [planned, scored].map(({ code, stderr }) => [code, /\[(\w+)\]/.exec(stderr)?.[1]]);
      assert.deepEqual(outcomes, [wanted, wanted], line);
    }
  });

  it('shows what definitions would do, as a dry run of them does', async t => {
    const definition = (input: string) => `score: {input: ${input}, report: r, output: out-${input}}\n`;
    const files = { 'a.yaml': definition('in.csv'), 'b.yml': definition('other.csv') };
    const { cwd, run, stub } = await bench(t, { ...files, 'in.csv': rows(2500), 'other.csv': rows(3) });
    const withoutSpace = (text: string): string => text.replaceAll(/[\d.,]+ \w+ free/g, '');
    const { stdout } = await exits(run('plan a.yaml b.yml'), 0);
    assert.match(stdout, /^rows +2,500, in 3 batches$[\s\S]*^rows +3, in 1 batch$/m);
    const dry = await run('run a.yaml b.yml --dry-run');
    assert.equal(withoutSpace(dry.stdout), withoutSpace(stdout));
    const limited = await run('plan a.yaml --set score.limit=7');
    assert.match(limited.stdout, /^rows +7, /m, limited.stderr);
    await exits(run('plan a.yaml in.csv'), 2, /a\.yaml is a definition, and in\.csv is not/);
    await exits(run('plan in.csv --report r --set score.limit=7'), 2, /--set has no effect/);
    assert.equal(stub.bodies.length, 0);
    assert.deepEqual((await readdir(cwd)).sort(), ['a.yaml', 'b.yml', 'in.csv', 'other.csv']);
  });

  it('names the command that trains the report of a definition first', async t => {
    const train = 'train: {history: h.csv, predict: y, report: r}\n';
    const job = `${train}score: {input: in.csv, report: r, output: out.csv}\n`;
    const { run } = await commandsIn(t, { 'a b.yaml': job, 'in.csv': rows(3) });
    const says =
      /there is no report "r" \[no_such_report\]\n {2}It can be planned once .*: rowcast run 'a b\.yaml' --home home\n/;
    await exits(run(['plan', 'a b.yaml', '--home', 'home']), 2, says);
  });

  it('refuses and warns of what score would as --compare', async t => {
    const { plan, run } = await bench(t, { 'in.csv': rows(2) });
    await run('score in.csv -o out.csv --report r --summary s.json');
    const refused = await exits(plan('in.csv --compare s.json --summary ./s.json'), 2, /\[output_is_input\]/);
    assert.equal(refused.stdout, '');
    const says = /nothing to compare with: nowhere\.json: no such file/;
    await exits(plan('in.csv --compare nowhere.json'), 0, says);
    await exits(plan('in.csv -o new/out.csv --compare s.json'), 0);
  });

  it('makes no more requests than --probe says, and shows the first row', async t => {
    const { json, stub } = await bench(t, { 'in.csv': rows(2500) });
    const { inputs } = await json('in.csv --probe 2 --batch-rows 100');
    const { probe } = inputs[0];
    assert.deepEqual([probe.requests, probe.rows, stub.bodies.length], [2, 200, 2]);
    assert.deepEqual(Object.keys(probe.first_row.probabilities), ['no', 'yes']);
    assert.ok(probe.rows_per_second > 0 && probe.seconds > 0 && probe.latency_ms.min <= probe.latency_ms.max);
  });

  slow('shows the first row of a local report too, whatever the columns and formats', async t => {
    const history = Array.from({ length: 60 }, (_, i) => `${i % 7},${i % 3 === 0 ? 'yes' : 'no'}\n`);
    const { run } = await commandsIn(t, {
      'history.csv': `x,y\n${history.join('')}`,
      'in.csv': 'x,note\n3,"a\nb"\n4,c\n',
      'in.jsonl': '{"x":3,"note":"a"}\n{"x":4,"note":"b"}\n',
    });
    await exits(run('train history.csv --predict y --report r'), 0);
    for (const line of [
      'in.csv',
      'in.csv --keep none --probabilities none --prediction',
      'in.csv -o out.jsonl',
      'in.jsonl -o out.csv',
      'in.jsonl -o out.parquet',
    ]) {
      const { stdout } = await run(`plan ${line} --report r --probe 1`);
      assert.match(stdout, /^probe +1 batch for 2 rows/m);
      assert.match(stdout, /^first row +no 0\.\d+, yes 0\.\d+$/m);
    }
  });

  it('reports a probe that fails, with the exit code of the failure', async t => {
    const behave: StubOptions['behave'] = ({ response }) => {
      send(response, 503, {});
      return true;
    };
    const { plan } = await bench(t, { 'in.csv': rows(2) }, { behave });
    await exits(plan('in.csv --probe 1'), 75, /\[http_503\]/);
  });

  slow('waits a few seconds for a service that is down, whatever a definition says of its run', async t => {
    const job = 'score: { input: in.csv, output: out.csv, report: r }\nservice: { max-outage: 1h }';
    const { stub, run } = await bench(t, { 'in.csv': rows(3), 'job.yaml': job });
    await stub.close();
    await exits(run('plan job.yaml'), 75, /cannot connect to the service.*for up to 5 s/);
  });

  it('prints the body of the first request with --show-request', async t => {
    const { plan, stub } = await bench(t, { 'in.csv': rows(2) });
    const { stdout } = await plan('in.csv --show-request');
    const persona = { features: { id: 'a', tenure: 1 } };
    assert.deepEqual(JSON.parse(stdout), { id: 'r', personas: [persona, persona] });
    assert.equal(stub.bodies.length, 0);
  });

  slow('refuses --show-request with a local report, which gets no requests', async t => {
    const files = { 'in.csv': csv(history({ rows: 2 })) };
    const { run } = await commandsIn(t, files, { ROWCAST_HOME: await trainedHome() });
    const says = /--show-request has no effect: a local report/;
    await exits(run('plan in.csv --report one --show-request'), 2, says);
  });

  it('adds up several inputs, and is what run --dry-run prints', async t => {
    const job = 'score: { input: "*.csv", output: "out/{name}.csv", report: r }';
    const { json, cwd, run } = await bench(t, { 'a.csv': rows(3), 'b.csv': rows(4), 'job.yaml': job });
    const { rows: total, inputs } = await json('*.csv -o out/{name}.csv');
    assert.deepEqual([total, inputs.length], [7, 2]);
    assert.match((await exits(run('run job.yaml --dry-run'), 0)).stdout, /7 rows, 2 requests/);
    assert.deepEqual((await readdir(cwd)).sort(), ['a.csv', 'b.csv', 'job.yaml']);
  });
});
