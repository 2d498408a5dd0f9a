import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { train } from '../../src/library/train.ts';
import { newFolder } from '../support/folder.ts';
import { exits, rowcast } from '../support/in-process.ts';
import type { Finished } from '../support/rowcast.ts';
import { key } from '../support/secrets.ts';
import { csv, history } from '../support/service/history.ts';
import { trainedHome } from '../support/service/serving.ts';
import { slow } from '../support/slow.ts';
import { type StubOptions, send, startStub } from '../support/stub/service.ts';

interface Bench {
  cwd: string;
  /** Runs a command in a folder with `in.csv`, with a home that has the report `one`. */
  run(line: string, env?: Record<string, string>): Promise<Finished>;
}

async function bench(t: TestContext): Promise<Bench> {
  const cwd = await newFolder(t, { 'in.csv': csv(history({ rows: 20 })) });
  const ROWCAST_HOME = await trainedHome();
  return { cwd, run: (line, env = { ROWCAST_HOME }) => rowcast(line.split(' '), { cwd, env }) };
}

async function urlOf(t: TestContext, options: StubOptions): Promise<string> {
  const stub = await startStub(t, options);
  return stub.url;
}

describe('what a message says to do', () => {
  it('names the key that was refused, wherever it is from', async t => {
    const { cwd, run } = await bench(t);
    const url = await urlOf(t, {
      first(_, response) {
        send(response, 401, { code: 'unauthorized', detail: 'no' });
        return true;
      },
    });
    const file = join(cwd, 'key.txt');
    await writeFile(file, 'key-in-a-file');
    const definition = {
      service: { url, 'api-key-env': 'ROWCAST_OF_B' },
      score: { input: 'in.csv', report: 'r' },
    };
    await writeFile(join(cwd, 'b.json'), JSON.stringify(definition));
    for (const [line, advice] of [
      [`score in.csv --report r --url ${url}`, 'Check the key in ROWCAST_API_KEY, and --auth.'],
      [
        `score in.csv --report r --url ${url} --api-key-env ROWCAST_OF_B`,
        'Check the key in ROWCAST_OF_B, and --auth.',
      ],
      [
        `score in.csv --report r --url ${url} --api-key-file ${file}`,
        `Check the key in ${file}, and --auth.`,
      ],
      [
        `score in.csv --report r --url ${url} --auth none`,
        'Check whether the service needs a key, and --auth.',
      ],
      [
        `score in.csv --report r --url ${url} --auth none --header-env x-token=ROWCAST_OF_B`,
        'Check what is in the header x-token, and --auth.',
      ],
      ['run b.json --trust-definition', 'Check the key in ROWCAST_OF_B, and --auth.'],
    ] as const) {
      const { stderr } = await exits(run(line, { ROWCAST_API_KEY: key, ROWCAST_OF_B: key }), 2);
      assert.ok(stderr.includes(advice), `${line}\n${stderr}`);
    }
  });

  it('names the file of which rows are not scored', async t => {
    const { run } = await bench(t);
    const url = await urlOf(t, {
      behave({ response }) {
        send(response, 403, { code: 'forbidden', detail: 'no' });
        return true;
      },
    });
    const { stderr } = await run(`score in.csv --report r --url ${url}`, { ROWCAST_API_KEY: key });
    assert.match(stderr, /\n {2}Rows of in\.csv from 1 on are not scored\. /);
  });

  slow('names the pattern of the folder that was given', async t => {
    const { cwd, run } = await bench(t);
    await mkdir(join(cwd, 'hist'));
    await writeFile(join(cwd, 'hist/a.csv'), csv(history({ rows: 200 })));
    for (const line of ['train hist/ --predict outcome', 'score hist --report one'])
      assert.match(
        (await run(line)).stderr,
        /the input is a folder .*\n {2}Give a file; score, plan and train also take its files as a quoted pattern: 'hist\/\*\.csv'$/m,
      );
    await exits(run('train hist/*.csv --predict outcome --home made'), 0);
  });

  it('is to score the corrected rows first, if repair is given a file that it writes itself', async t => {
    const { cwd, run } = await bench(t);
    await writeFile(join(cwd, 'in.csv'), 'id-9,35.10\n', { flag: 'a' });
    await run('score in.csv --report one -o out.csv');
    for (const corrected of ['out.csv', 'out.csv.rejects']) {
      const { stderr } = await exits(
        run(`repair out.csv ${corrected}`),
        2,
        /the corrected rows are in a file that repair writes itself \[output_is_input\]/,
      );
      assert.doesNotMatch(stderr, /Give -o|Give --rejects/);
    }
  });

  it('is the same for a misspelled key whether a definition is run or checked', async t => {
    const { cwd, run } = await bench(t);
    await writeFile(join(cwd, 'job.yaml'), 'score:\n  inptu: in.csv\n  model: one\n');
    const ran = await run('run job.yaml');
    const checked = await run('check job.yaml');
    assert.match(ran.stderr, /^rowcast: job\.yaml:2: score\.inptu: unknown key; did you mean input\? /);
    assert.match(ran.stderr, /\n {2}It has 1 more problem: rowcast check job\.yaml\n/);
    assert.match(checked.stderr, /:2: score\.inptu: unknown key; did you mean input\?/);
    assert.match(checked.stderr, /:3: score\.model: unknown key; did you mean report\?/);
    assert.doesNotMatch(checked.stderr, /required, but missing/);
  });

  slow('after a retraining is to start over, in the status and in the refusal', async t => {
    const { cwd, run } = await bench(t);
    const home = join(cwd, '.rowcast');
    const file = join(cwd, 'history.csv');
    const retrain = async (rows: number): Promise<void> => {
      await writeFile(file, csv(history({ rows })));
      await train({ history: file, predict: 'outcome', report: 'one', home, ifExists: 'replace' });
    };
    await retrain(200);
    await writeFile(join(cwd, 'in.csv'), `${csv(history({ rows: 20 }))}${'id-9,35.10\n'.repeat(3)}`);
    const score = 'score in.csv --report one -o out.csv --max-rejects 1 --batch-rows 5';
    assert.equal((await run(score, {})).code, 3);
    assert.match(String((await run('status out.csv', {})).stdout), /^out\.csv: stopped: 3 of /);
    await retrain(220);
    const { stdout } = await exits(run('status out.csv', {}), 3);
    assert.match(
      String(stdout),
      /^out\.csv: stopped; the report of this name, in \.rowcast or ROWCAST_HOME, is another one now, so rerunning the command is refused without --restart or --restart-if-changed\n/,
    );
    const again = await run(score, {});
    assert.match(
      again.stderr,
      /out\.csv: the report one has changed since the unfinished run began \[other_work\]\n {2}Use --restart-if-changed, /,
    );
    assert.equal((await run(score.replace('rejects 1', 'rejects 9 --restart-if-changed'), {})).code, 1);
  });
});

it('a record that is broken in two is repaired once its second part is given up, and verified', async t => {
  const { cwd, run } = await bench(t);
  const [header = '', ...rows] = csv(history({ rows: 20 }))
    .trimEnd()
    .split('\n');
  const whole = 'id-9,35.10,Basic,7,';
  const broken = whole.replace(',Basic', '\n,Basic');
  await writeFile(
    join(cwd, 'in.csv'),
    `${[header, ...rows.slice(0, 5), broken, ...rows.slice(5)].join('\n')}\n`,
  );
  assert.equal((await run('score in.csv --report one -o out.csv')).code, 1);
  const rejects = await readFile(join(cwd, 'out.csv.rejects'), 'utf8');
  await writeFile(join(cwd, 'correct.csv'), rejects.replace('id-9,35.10\n', `${whole}\n`));
  assert.equal((await run('score correct.csv --report one -o scored.csv')).code, 1);
  await exits(
    run('repair out.csv scored.csv'),
    1,
    /1 row repaired in out\.csv, 1 still rejected; to give it up, add --rejects-ok 1$/m,
  );
  await exits(run('repair out.csv scored.csv --rejects-ok 1'), 0, /1 still rejected, and given up/);
  await exits(run('verify in.csv out.csv'), 0);
  assert.match(await readFile(join(cwd, 'out.csv'), 'utf8'), /^id-9,35\.10,Basic,7,,0\./m);
  assert.equal((await run('repair out.csv scored.csv --rejects-ok 1%')).code, 2);
});

describe('the status of a file that no run is known to have written', () => {
  it('is refused, also if it is an input', async t => {
    const { cwd, run } = await bench(t);
    await writeFile(join(cwd, 'notes.txt'), 'a note\n');
    await writeFile(join(cwd, 'flags.csv'), 'id,left,right\n1,0,1\n');
    for (const file of ['in.csv', 'notes.txt', 'flags.csv']) {
      const { code, stderr } = await run(`status ${file}`);
      assert.equal(code, 2, file);
      assert.match(
        stderr,
        /no run is known of this file, and it has no column of predictions \[not_an_output\]/,
      );
    }
  });

  for (const [what, options, output] of [
    ['usual columns', '', 'out.csv'],
    ['a compression', '', 'out.csv.gz'],
    ['JSON lines', '', 'out.jsonl'],
    ['Parquet', '', 'out.parquet'],
    ['columns of other names', '--prefix p --prediction', 'out.csv'],
    ['no header', '--no-output-header --decimals 3', 'out.csv'],
    ['only a prediction', '--threshold Yes=0.4 --probabilities none', 'out.csv'],
  ] as const)
    it(`is that of a finished run for an output with ${what}`, async t => {
      const { run } = await bench(t);
      await exits(run(`score in.csv --report one -o ${output} ${options}`.trim()), 0);
      const { stdout } = await exits(run(`status ${output}`), 0);
      assert.match(String(stdout), /: finished, /);
    });

  it('is that of a finished run if a ledger or rejects tell of it', async t => {
    const { cwd, run } = await bench(t);
    await writeFile(join(cwd, 'in.csv'), 'id-9,35.10\n', { flag: 'a' });
    const options = '--report one --prefix p --probabilities Yes';
    assert.equal((await run(`score in.csv ${options} -o out.csv`)).code, 1);
    assert.equal((await run('status out.csv')).code, 0);
    await writeFile(join(cwd, 'in.csv'), csv(history({ rows: 20 })));
    assert.equal((await run(`score in.csv ${options} -o of/{name}.csv`)).code, 0);
    assert.equal((await run('status of/in.csv')).code, 0);
  });
});
