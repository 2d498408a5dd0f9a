import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { withoutProbabilities } from '../support/appended.ts';
import { wordsOf } from '../support/cli/commands.ts';
import * as inProcess from '../support/in-process.ts';
import { root } from '../support/root.ts';
import { exits, type Finished, rowcast } from '../support/rowcast.ts';
import { slow } from '../support/slow.ts';
import { type Stub, startStub } from '../support/stub/service.ts';
import { serve } from './commands/serving.ts';

const personas = join(root, 'fixtures/telecom-personas.csv');

describe('rowcast, as a user runs it', () => {
  let folder: string;
  let env: Record<string, string>;
  /** The first rows of the fixtures, where it does not matter how many there are. */
  let some: string;
  let stub: Stub;
  /** In a process of its own. */
  const start = (line: string, stdin: string | Buffer = ''): Promise<Finished> =>
    rowcast(wordsOf(line), { cwd: folder, env, stdin });
  const run = (line: string, stdin: string | Buffer = '', more: object = {}): Promise<Finished> =>
    inProcess.rowcast(wordsOf(line), { cwd: folder, env: { ...env, ...more }, stdin });

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rowcast-cli-'));
    env = { ROWCAST_HOME: join(folder, 'home') };
    stub = await startStub(undefined);
    const history = await firstRows(folder, 'telecom-history.csv', 500);
    some = await firstRows(folder, 'telecom-personas.csv', 300);
    const { stdout } = await exits(run(`train ${history} --predict churned --report churn`), 0);
    assert.match(stdout.toString(), /^churn predicts churned: no, yes\n/);
    assert.match(stdout.toString(), /testing accuracy +\d\d\.\d%/);
  });
  after(async () => {
    await stub.close();
    await rm(folder, { recursive: true });
  });

  it('scores a file with a local report: each row keeps its own bytes', async () => {
    const { stdout, stderr } = await exits(run(`score ${personas} --report churn -o scored.csv`), 0);
    assert.equal(stdout.length, 0);
    assert.match(stderr, /2,000 rows scored in .* s, .* rows\/s, to scored\.csv\n/);
    const scored = await readFile(join(folder, 'scored.csv'), 'utf8');
    assert.match(scored, /^[^\n]*,note,probability_no,probability_yes\n/);
    assert.equal(withoutProbabilities(scored, 2), await readFile(personas, 'utf8'));
  });

  it('scores stdin to stdout, which receives only CSV; batch-predict has the same result', async () => {
    const input = await readFile(some);
    const piped = await start('score --report churn', input);
    assert.equal(withoutProbabilities(piped.stdout.toString(), 2), input.toString());
    const dashes = await run('score - -o - --report churn', input);
    assert.deepEqual(dashes.stdout, piped.stdout);
    const upload = await run(`batch-predict ${some} --report churn`);
    assert.deepEqual(upload.stdout, piped.stdout, upload.stderr);
  });

  it('predicts one persona, with the same result for NAME=VALUE arguments and JSON on stdin', async () => {
    const named = await run('predict --report churn tenure=3 contract=rolling access=a=b');
    const json = await run(
      'predict --report churn',
      '{"features": {"tenure": 3, "contract": "rolling", "access": "a=b"}}',
    );
    const { id, probabilities } = JSON.parse(named.stdout.toString());
    assert.equal(id, 'churn');
    assert.ok(Math.abs(probabilities.no + probabilities.yes - 1) < 1e-6);
    assert.deepEqual(json.stdout, named.stdout);
  });

  it('predicts a persona on each line of stdin, and refuses a line that is none', async () => {
    const lines = '{"tenure": 3, "contract": "rolling"}\n\n{"features": {"tenure": 30}}\n';
    const predict = 'predict --report churn';
    const several = await run(`${predict} -`, lines);
    const [first = '', second = '', ...none] = several.stdout.toString().split('\n');
    assert.deepEqual(none, ['']);
    const one = await run(`${predict} tenure=3 contract=rolling`);
    assert.equal(`${first}\n`, one.stdout.toString());
    assert.notDeepEqual(JSON.parse(second).probabilities, JSON.parse(first).probabilities);
    for (const [stdin, says] of [
      ['{"tenure": 3}\n{"tenure": 3]}\n', /line 2 of stdin is not valid JSON/],
      ['{"tenure": 3}\n{"tenure": [3]}\n', /line 2 of stdin is not a persona/],
      ['{\n"tenure": 3\n', /stdin is not valid JSON/],
    ] as const)
      await exits(run(predict, stdin), 2, says);
    await exits(run(predict, '{\n"tenure": 3\n}\n'), 0);
    const asLines = run(`${predict} --input-format jsonl`, '{\n"tenure": 3\n}\n');
    await exits(asLines, 2, /line 1 of stdin is not valid JSON/);
  });

  slow('runs the demo: trains, scores, and shows the next steps', async () => {
    const definition = join(folder, 'demo.yaml');
    const text = await readFile(join(root, 'pipelines/demo.yaml'), 'utf8');
    await writeFile(definition, text.replaceAll('../fixtures', folder));
    const running = run(`run ${definition} --trust-definition`);
    const { stdout } = await exits(running, 0, /next: see .*demo-scored\.csv/);
    assert.equal(stdout.length, 0, 'a preview is for people, at a terminal');
    const scored = await readFile(join(folder, 'demo-scored.csv'), 'utf8');
    assert.equal(scored.split('\n')[0]?.split(',').length, 18);
  });

  slow('runs a definition from stdin, with paths relative to the working directory', async () => {
    await exits(run('run -', `score: { input: ${some}, output: from-stdin.csv, report: churn }`), 0);
    assert.match(await readFile(join(folder, 'from-stdin.csv'), 'utf8'), /probability_yes\n/);
    const twice = run('run -', 'score: { input: "-", report: churn }');
    await exits(twice, 2, /stdin cannot supply both the definition and the rows/);
  });

  slow('serves the same client until it is stopped', async t => {
    const { url, child } = await serve(t, { ...env, ROWCAST_API_KEY: 'a-key-of-mine' });
    const remote = { ROWCAST_URL: url, ROWCAST_API_KEY: 'a-key-of-mine' };
    const scored = await exits(run(`score ${some} --report churn`, '', remote), 0);
    const local = await run(`score ${some} --report churn`);
    assert.deepEqual(scored.stdout, local.stdout);
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });

  describe('reports what is wrong and what to do', () => {
    const churn = '--report churn';
    for (const [name, line, says, served] of [
      ['no command', '', /no command given.*\n {2}rowcast --help lists the commands/],
      ['a stream as a folder', 'work -', /-: a stream is no folder.*\n {2}Name the folder/],
      ['no report', `score ${personas}`, /no report given; use --report/],
      [
        'a report that does not exist',
        `score ${personas} --report chrun`,
        /home\/reports: .*no report "chrun"/,
      ],
      ['a folder as input', `score / ${churn}`, /the input is a folder/, true],
      [
        'an output with unsupported compression, with a pipe that does it',
        `score ${personas} ${churn} -o scored.csv.xz`,
        /cannot write \.xz files.*\n.*\| xz > scored\.csv\.xz/,
      ],
      [
        'an output folder that cannot be created, because a file has its name',
        `score ${personas} ${churn} -o ${personas}/x.csv`,
        /personas\.csv\/x\.csv: cannot write the output: not a directory \(ENOTDIR\)/,
        true,
      ],
      ['an invalid delimiter', `score ${personas} ${churn} --delimiter ab`, /--delimiter "ab"/, true],
      [
        'a column that does not exist',
        `train ${join(root, 'fixtures/telecom-history.csv')} --predict churn`,
        /churned/,
      ],
    ] as const)
      it(name, async () => {
        const { stdout } = await exits(run(line, '', served ? stub.env : {}), 2, says);
        assert.equal(stdout.length, 0);
      });

    it('a service that cannot be reached', async () => {
      const score = `score ${personas} --report x --url http://127.0.0.1:1 --max-outage 100ms`;
      const says = /cannot connect to the service: connection refused \(127\.0\.0\.1:1\)/;
      await exits(run(score, '', { ROWCAST_API_KEY: 'k' }), 75, says);
    });
  });

  it('prints help and version on stdout', async () => {
    const help = await exits(run('score --help'), 0);
    assert.match(help.stdout.toString(), /--batch-rows N +most rows of a request/);
    const version = await start('--version');
    assert.match(version.stdout.toString(), /^\d+\.\d+\.\d+\n$/);
  });
});

/** Copies the beginning of a fixture, of which each row begins with an id. @returns its path */
async function firstRows(folder: string, name: string, rows: number): Promise<string> {
  const path = join(folder, name);
  const records = (await readFile(join(root, 'fixtures', name), 'utf8')).split(/(?<=\n)(?="?[CP]-\d{6}"?,)/);
  await writeFile(path, records.slice(0, 1 + rows).join(''));
  return path;
}
