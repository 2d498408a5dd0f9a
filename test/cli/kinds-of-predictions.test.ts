import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import { commandsIn } from '../support/cli/commands.ts';
import { exits } from '../support/in-process.ts';
import { mlflow } from '../support/protocols/dialects.ts';
import { startModelServer } from '../support/protocols/model-server.ts';
import { key } from '../support/secrets.ts';
import { slow } from '../support/slow.ts';

const rows = 40;
const input = `id,plan\n${Array.from({ length: rows }, (_, id) => `${id},\n`).join('')}`;

/** Each kind: what the model responds for a row, and the fields and columns of the output. */
const kinds = {
  'a label': {
    predict: (id: number): unknown => (id % 3 === 0 ? 'no, "never"' : 'yes'),
    fields: (id: number) => (id % 3 === 0 ? '"no, ""never"""' : 'yes'),
    header: 'predicted_plan',
  },
  'a number': {
    predict: (id: number): unknown => id / 7,
    fields: (id: number) => String(id / 7),
    header: 'predicted_plan',
  },
  'several numbers': {
    predict: (id: number): unknown => ({ upper: 9 + id, mean: 3 + id / 4 }),
    fields: (id: number) => `${3 + id / 4},${9 + id}`,
    header: 'probability_mean,probability_upper',
  },
};

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** A folder with an input, a server, and commands. */
async function bench(t: TestContext, predict: (id: number) => unknown) {
  const { url, calls } = await startModelServer(t, mlflow(), ({ response, rows: sent }) => {
    response.end(JSON.stringify({ predictions: sent.map(({ id }) => predict(Number(id))) }));
    return true;
  });
  const commands = await commandsIn(t, { 'in.csv': input }, { ROWCAST_API_KEY: key, ROWCAST_URL: url });
  return { ...commands, calls, service: '--report m --protocol mlflow --predict plan' };
}

for (const [name, { predict, fields, header }] of Object.entries(kinds))
  describe(`commands with a model whose prediction is ${name}`, () => {
    const expected = `id,plan,${header}\n${Array.from({ length: rows }, (_, id) => `${id},,${fields(id)}\n`).join('')}`;

    it('score, verify and predict again', async t => {
      const { calls, run, service, read, jsonIn } = await bench(t, predict);
      await exits(run(`score in.csv ${service} -o out.csv --summary run.json`), 0);
      assert.equal(await read('out.csv'), expected);
      assert.deepEqual(Object.keys(calls[0]?.rows[0] ?? {}), ['id'], 'the predicted column is not sent');
      const { kind } = (await jsonIn('run.json')).prediction;
      await exits(
        run(`verify in.csv out.csv --sample 9 --kind ${kind} ${service}`),
        0,
        /9 rows predicted again, with the same result$/m,
      );
    });

    it('refuse options of probabilities, and leave nothing that keeps them from running without', async t => {
      const { cwd, run, service, read } = await bench(t, predict);
      for (const flags of [
        '--prediction',
        '--probabilities none',
        '--threshold yes=0.5',
        ...(name === 'several numbers' ? [] : ['--prefix p']),
      ]) {
        const { stderr } = await exits(run(`score in.csv ${service} -o out.csv ${flags}`), 2);
        const [flag] = flags.split(' ');
        assert.match(
          stderr,
          new RegExp(`${flag} is for .*, but the predictions are .*\\n.*Leave out ${flag}\\.`),
        );
      }
      assert.deepEqual(await readdir(cwd), ['in.csv']);
      await exits(run(`score in.csv ${service} -o out.csv`), 0);
      assert.equal(await read('out.csv'), expected);
    });

    slow('plan shards, score them and join them to the same bytes and figures', async t => {
      const { calls, run, service, read, jsonIn } = await bench(t, predict);
      const summary = '--summary run.json';
      await exits(run(`plan in.csv ${service} -o out.csv --shards parts ${summary}`), 0);
      assert.equal(calls.length, 1, 'one request tells what is predicted');
      for (const command of ['work', 'assemble']) {
        await exits(run(`${command} parts`), 0);
      }
      assert.equal(await read('out.csv'), expected);
      const joined = await jsonIn('run.json');
      await run(`score in.csv ${service} -o single.csv ${summary}`);
      const { scores, labels } = await jsonIn('run.json');
      assert.ok(scores !== null || labels !== null);
      assert.deepEqual([joined.scores, joined.labels], [scores, labels]);
    });

    slow('score several inputs, with what is predicted in the summary of each', async t => {
      const { run, service, read, write, jsonIn } = await bench(t, predict);
      await write('other.csv', input);
      const args = `score in.csv other.csv ${service} -o out/{name}.csv --summary run.json`;
      await exits(run(args), 0);
      for (const file of ['in', 'other']) assert.equal(await read(`out/${file}.csv`), expected);
      const { runs, scores, labels } = await jsonIn('run.json');
      for (const { prediction } of runs) assert.notEqual(prediction.kind, 'distribution');
      const [counted] = labels
        ? [labels]
        : Object.values<{ ranges: { rows: number[] } }>(scores).map(({ ranges }) => ranges);
      assert.equal(sumOf(counted.rows), 2 * rows);
    });
  });

it('predict sends the value of a column called __proto__, which must be one', async t => {
  const { calls, run } = await bench(t, () => 1);
  await exits(run('predict --report m --protocol mlflow', { stdin: '{"id": 1, "__proto__": "x"}' }), 0);
  assert.match(calls[0]?.body ?? '', /"__proto__"/);
  await exits(
    run('predict --report m --protocol mlflow', { stdin: '{"id": 1, "__proto__": ["x"]}' }),
    2,
    /the JSON on stdin is not a persona/,
  );
});

it('a protocol that says what it predicts refuses the options of other predictions before it sends a row', async t => {
  const { calls, run, read, write } = await bench(t, kinds['a label'].predict);
  const definition = (more: string): Promise<void> =>
    write(
      'run.yaml',
      `service:
  protocol: custom
  auth: bearer
  custom:
    request: { path: /invocations, layout: arrays, body: { dataframe_split: { columns: $columns, data: $rows } } }
    response: { rows: /predictions, row: { label: "" } }
    errors: { message: /message }
score: { input: in.csv, output: out.csv, report: m, predict: plan${more} }
`,
    );
  await definition(', prediction: true');
  const refused = await run('run run.yaml --trust-definition');
  assert.deepEqual([refused.code, calls.length], [2, 0], refused.stderr);
  assert.match(refused.stderr, /prediction is for probabilities, but the predictions are labels/);
  await definition('');
  await exits(run('run run.yaml --trust-definition'), 0);
  assert.match(await read('out.csv'), /^id,plan,predicted_plan\n0,,"no, ""never"""\n1,,yes\n/);
});
