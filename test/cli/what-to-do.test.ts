import assert from 'node:assert/strict';
import { appendFile, mkdir } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import { train } from '../../src/library/train.ts';
import { commandsIn } from '../support/cli/commands.ts';
import { exits } from '../support/in-process.ts';
import { key } from '../support/secrets.ts';
import { csv, history } from '../support/service/history.ts';
import { trainedHome } from '../support/service/serving.ts';
import { slow } from '../support/slow.ts';
import { send, startStub } from '../support/stub/service.ts';

/** A folder with `in.csv`, and commands with a home that has the report `one`. */
async function bench(t: TestContext, rows = csv(history({ rows: 20 }))) {
  return commandsIn(t, { 'in.csv': rows }, { ROWCAST_HOME: await trainedHome() });
}

/** A service that refuses requests: all, or those for predictions. */
async function refusing(t: TestContext, status: number, isAll: boolean): Promise<string> {
  const { url } = await startStub(t, {
    first(request, response) {
      if (!isAll && request.method === 'GET') return false;
      request.resume();
      send(response, status, { code: status === 401 ? 'unauthorized' : 'forbidden', detail: 'no' });
      return true;
    },
  });
  return url;
}

describe('what a message says to do', () => {
  it('names the key that was refused, wherever it is from, and the file of which rows are not scored', async t => {
    const { run, path, write } = await bench(t);
    const url = await refusing(t, 401, true);
    await write('key.txt', 'key-in-a-file');
    const service = { url, 'api-key-env': 'ROWCAST_OF_B' };
    await write('b.json', JSON.stringify({ service, score: { input: 'in.csv', report: 'r' } }));
    const score = `score in.csv --report r --url ${url}`;
    const env = { ROWCAST_API_KEY: key, ROWCAST_OF_B: key };
    for (const [line, advice] of [
      [score, 'Check the key in ROWCAST_API_KEY, and --auth.'],
      [`${score} --api-key-env ROWCAST_OF_B`, 'Check the key in ROWCAST_OF_B, and --auth.'],
      [`${score} --api-key-file ${path('key.txt')}`, `Check the key in ${path('key.txt')}, and --auth.`],
      [`${score} --auth none`, 'Check whether the service needs a key, and --auth.'],
      [
        `${score} --auth none --header-env x-token=ROWCAST_OF_B`,
        'Check what is in the header x-token, and --auth.',
      ],
      ['run b.json --trust-definition', 'Check the key in ROWCAST_OF_B, and --auth.'],
    ] as const) {
      const { stderr } = await exits(run(line, { env }), 2);
      assert.ok(stderr.includes(advice), `${line}\n${stderr}`);
    }
    const { stderr } = await run(`score in.csv --report r --url ${await refusing(t, 403, false)}`, { env });
    assert.match(stderr, /\n {2}Rows of in\.csv from 1 on are not scored\. /);
  });

  slow('names the pattern of the folder that was given', async t => {
    const { path, run, write } = await bench(t);
    await mkdir(path('hist'));
    await write('hist/a.csv', csv(history({ rows: 200 })));
    const says =
      /the input is a folder .*\n {2}Give a file; score, plan and train also take its files as a quoted pattern: 'hist\/\*\.csv'$/m;
    for (const line of ['train hist/ --predict outcome', 'score hist --report one'])
      await exits(run(line), 2, says);
    await exits(run('train hist/*.csv --predict outcome --home made'), 0);
  });

  it('is to score the corrected rows first, if repair is given a file that it writes itself', async t => {
    const { path, run } = await bench(t);
    await appendFile(path('in.csv'), 'id-9,35.10\n');
    await run('score in.csv --report one -o out.csv');
    const says = /the corrected rows are in a file that repair writes itself \[output_is_input\]/;
    for (const corrected of ['out.csv', 'out.csv.rejects']) {
      const { stderr } = await exits(run(`repair out.csv ${corrected}`), 2, says);
      assert.doesNotMatch(stderr, /Give -o|Give --rejects/);
    }
  });

  it('is the same for a misspelled key whether a definition is run or checked', async t => {
    const { write, run } = await bench(t);
    await write('job.yaml', 'score:\n  inptu: in.csv\n  model: one\n');
    const ran = await run('run job.yaml');
    const checked = await run('check job.yaml');
    assert.match(ran.stderr, /^rowcast: job\.yaml:2: score\.inptu: unknown key; did you mean input\? /);
    assert.match(ran.stderr, /\n {2}It has 1 more problem: rowcast check job\.yaml\n/);
    assert.match(checked.stderr, /:2: score\.inptu: unknown key; did you mean input\?/);
    assert.match(checked.stderr, /:3: score\.model: unknown key; did you mean report\?/);
    assert.doesNotMatch(checked.stderr, /required, but missing/);
  });

  slow('after a retraining is to start over, in the status and in the refusal', async t => {
    const rows = `${csv(history({ rows: 20 }))}${'id-9,35.10\n'.repeat(3)}`;
    const { path, run, write } = await commandsIn(t, { 'in.csv': rows });
    const retrain = async (rows: number): Promise<void> => {
      await write('history.csv', csv(history({ rows })));
      const given = { history: path('history.csv'), predict: 'outcome', report: 'one' };
      await train({ ...given, home: path('.rowcast'), ifExists: 'replace' });
    };
    await retrain(200);
    const score = 'score in.csv --report one -o out.csv --batch-rows 5 --max-rejects';
    await exits(run(`${score} 1`), 3);
    assert.match((await run('status out.csv')).stdout, /^out\.csv: stopped: 3 of /);
    await retrain(220);
    const { stdout } = await exits(run('status out.csv'), 3);
    assert.match(
      stdout,
      /^out\.csv: stopped; the report of this name, in \.rowcast or ROWCAST_HOME, is another one now, so rerunning the command is refused without --restart or --restart-if-changed\n/,
    );
    const says =
      /out\.csv: the report one has changed since the unfinished run began \[other_work\]\n {2}Use --restart-if-changed, /;
    await exits(run(`${score} 1`), 2, says);
    await exits(run(`${score} 9 --restart-if-changed`), 1);
  });
});

it('a record that is broken in two is repaired once its second part is given up, and verified', async t => {
  const [header = '', ...rows] = csv(history({ rows: 20 }))
    .trimEnd()
    .split('\n');
  const whole = 'id-9,35.10,Basic,7,';
  const broken = whole.replace(',Basic', '\n,Basic');
  const lines = [header, ...rows.slice(0, 5), broken, ...rows.slice(5)];
  const { read, write, run } = await bench(t, `${lines.join('\n')}\n`);
  await exits(run('score in.csv --report one -o out.csv'), 1);
  await write('correct.csv', (await read('out.csv.rejects')).replace('id-9,35.10\n', `${whole}\n`));
  await exits(run('score correct.csv --report one -o scored.csv'), 1);
  const says = /1 row repaired in out\.csv, 1 still rejected; to give it up, add --rejects-ok 1$/m;
  await exits(run('repair out.csv scored.csv'), 1, says);
  await exits(run('repair out.csv scored.csv --rejects-ok 1'), 0, /1 still rejected, and given up/);
  await exits(run('verify in.csv out.csv'), 0);
  assert.match(await read('out.csv'), /^id-9,35\.10,Basic,7,,0\./m);
  await exits(run('repair out.csv scored.csv --rejects-ok 1%'), 2);
});

describe('the status of a file that no run is known to have written', () => {
  it('is refused, also if it is an input', async t => {
    const { write, run } = await bench(t);
    await write('notes.txt', 'a note\n');
    await write('flags.csv', 'id,left,right\n1,0,1\n');
    const says = /no run is known of this file, and it has no column of predictions \[not_an_output\]/;
    for (const file of ['in.csv', 'notes.txt', 'flags.csv']) await exits(run(`status ${file}`), 2, says);
  });

  for (const [what, options] of [
    ['usual columns', '-o out.csv'],
    ['a compression', '-o out.csv.gz'],
    ['JSON lines', '-o out.jsonl'],
    ['Parquet', '-o out.parquet'],
    ['columns of other names', '-o out.csv --prefix p --prediction'],
    ['no header', '-o out.csv --no-output-header --decimals 3'],
    ['only a prediction', '-o out.csv --threshold Yes=0.4 --probabilities none'],
  ] as const)
    it(`is that of a finished run for an output with ${what}`, async t => {
      const { run } = await bench(t);
      await exits(run(`score in.csv --report one ${options}`), 0);
      const { stdout } = await exits(run(`status ${options.split(' ')[1]}`), 0);
      assert.match(stdout, /: finished, /);
    });

  it('is that of a finished run if a ledger or rejects tell of it', async t => {
    const { path, write, run } = await bench(t);
    await appendFile(path('in.csv'), 'id-9,35.10\n');
    const score = 'score in.csv --report one --prefix p --probabilities Yes';
    await exits(run(`${score} -o out.csv`), 1);
    await exits(run('status out.csv'), 0);
    await write('in.csv', csv(history({ rows: 20 })));
    await exits(run(`${score} -o of/{name}.csv`), 0);
    await exits(run('status of/in.csv'), 0);
  });
});
