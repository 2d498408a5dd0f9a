import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { withoutProbabilities } from '../support/appended.ts';
import * as inProcess from '../support/in-process.ts';
import { root } from '../support/root.ts';
import { bin, exits, type Finished, type RunOptions, rowcast } from '../support/rowcast.ts';
import { slow } from '../support/slow.ts';
import { type Stub, startStub } from '../support/stub/service.ts';

const personas = join(root, 'fixtures/telecom-personas.csv');

describe('rowcast, as a user runs it', () => {
  let folder: string;
  let env: Record<string, string>;
  /** The first rows of the fixtures, where it does not matter how many there are. */
  let history: string;
  let some: string;
  let stub: Stub;
  const run = (args: readonly string[], options: RunOptions = {}): Promise<Finished> =>
    rowcast(args, { cwd: folder, ...options, env: { ...env, ...options.env } });
  /** The same without a process of its own, for commands that others have tested in one. */
  const runHere = (args: readonly string[], stdin = ''): Promise<Finished> =>
    inProcess.rowcast(args, { cwd: folder, env, stdin });

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rowcast-cli-'));
    env = { ROWCAST_HOME: join(folder, 'home') };
    stub = await startStub(undefined);
    history = await firstRows(folder, 'telecom-history.csv', 500);
    some = await firstRows(folder, 'telecom-personas.csv', 300);
    const { stdout } = await exits(run(['train', history, '--predict', 'churned', '--report', 'churn']), 0);
    assert.match(stdout.toString(), /^churn predicts churned: no, yes\n/);
    assert.match(stdout.toString(), /testing accuracy +\d\d\.\d%/);
  });
  after(async () => {
    await stub.close();
    await rm(folder, { recursive: true });
  });

  it('scores a file with a local report: each row keeps its own bytes', async () => {
    const { stdout, stderr } = await exits(
      run(['score', personas, '--report', 'churn', '-o', 'scored.csv']),
      0,
    );
    assert.equal(stdout.length, 0);
    assert.match(stderr, /2,000 rows scored in .* s, .* rows\/s, to scored\.csv\n/);
    const scored = await readFile(join(folder, 'scored.csv'), 'utf8');
    assert.match(scored, /^[^\n]*,note,probability_no,probability_yes\n/);
    assert.equal(withoutProbabilities(scored, 2), await readFile(personas, 'utf8'));
  });

  it('scores stdin to stdout, which receives only CSV; batch-predict has the same result', async () => {
    const input = await readFile(some);
    const [piped, dashes, upload] = await Promise.all([
      run(['score', '--report', 'churn'], { stdin: input }),
      run(['score', '-', '-o', '-', '--report', 'churn'], { stdin: input }),
      run(['batch-predict', some, '--report', 'churn']),
    ]);
    assert.equal(withoutProbabilities(piped.stdout.toString(), 2), input.toString());
    assert.deepEqual(dashes.stdout, piped.stdout);
    assert.deepEqual(upload.stdout, piped.stdout, upload.stderr);
  });

  slow('gives head its lines and exits with 0', async () => {
    const script = `cat "$1" "$1" "$1" | "$2" "$3" score --report churn --batch-rows 10 | head -3; echo "\${PIPESTATUS[@]}"`;
    const { stdout, stderr } = await promisify(execFile)(
      'bash',
      ['-c', script, 'bash', personas, process.execPath, bin],
      { env: { PATH: process.env.PATH, ...env } },
    );
    const lines = stdout.trimEnd().split('\n');
    assert.equal(lines.length, 4);
    assert.match(lines[0] ?? '', /^customer,.*probability_no,probability_yes$/);
    assert.match(lines[3] ?? '', /^\d+ 0 0$/, stderr);
  });

  slow('shows a report, its testing results and the list of reports', async () => {
    const [words, json, results, list] = await Promise.all([
      runHere(['report', 'churn']),
      runHere(['report', 'churn', '--json']),
      runHere(['testing-results', 'churn']),
      runHere(['reports']),
    ]);
    assert.match(words.stdout.toString(), /Drivers and their impact\n\n {2}\w+ +\d/);
    assert.deepEqual(JSON.parse(json.stdout.toString()).classes, ['no', 'yes']);
    assert.equal(results.stdout.toString().trimEnd().split('\n').length, 101);
    assert.match(list.stdout.toString(), /churn +churned +no, yes +\d\d\.\d%/);
  });

  it('predicts one persona, with the same result for NAME=VALUE arguments and JSON on stdin', async () => {
    const named = await run(['predict', '--report', 'churn', 'tenure=3', 'contract=rolling', 'access=a=b']);
    const json = await runHere(
      ['predict', '--report', 'churn'],
      '{"features": {"tenure": 3, "contract": "rolling", "access": "a=b"}}',
    );
    const { id, probabilities } = JSON.parse(named.stdout.toString());
    assert.equal(id, 'churn');
    assert.ok(Math.abs(probabilities.no + probabilities.yes - 1) < 1e-6);
    assert.deepEqual(json.stdout, named.stdout);
  });

  it('predicts a persona on each line of stdin, and refuses a line that is none', async () => {
    const lines = '{"tenure": 3, "contract": "rolling"}\n\n{"features": {"tenure": 30}}\n';
    const args = ['predict', '--report', 'churn'];
    const several = await runHere([...args, '-'], lines);
    const [first = '', second = '', ...none] = several.stdout.toString().split('\n');
    assert.deepEqual(none, ['']);
    const one = await run([...args, 'tenure=3', 'contract=rolling']);
    assert.equal(`${first}\n`, one.stdout.toString());
    assert.notDeepEqual(JSON.parse(second).probabilities, JSON.parse(first).probabilities);
    for (const [stdin, says] of [
      ['{"tenure": 3}\n{"tenure": 3]}\n', /line 2 of stdin is not valid JSON/],
      ['{"tenure": 3}\n{"tenure": [3]}\n', /line 2 of stdin is not a persona/],
      ['{\n"tenure": 3\n', /stdin is not valid JSON/],
      ['{\n"tenure": 3\n}\n', undefined],
    ] as const) {
      const { code, stderr } = await runHere(args, stdin);
      assert.equal(code, says === undefined ? 0 : 2, stderr);
      if (says !== undefined) assert.match(stderr, says);
    }
    const { code, stderr } = await runHere([...args, '--input-format', 'jsonl'], '{\n"tenure": 3\n}\n');
    assert.deepEqual([code, /line 1 of stdin is not valid JSON/.test(stderr)], [2, true], stderr);
  });

  slow('runs the demo: trains, scores, and shows the next steps', async () => {
    const definition = join(folder, 'demo.yaml');
    const text = await readFile(join(root, 'pipelines/demo.yaml'), 'utf8');
    await writeFile(definition, text.replaceAll('../fixtures', folder));
    const { stdout, stderr } = await exits(run(['run', definition, '--trust-definition']), 0);
    assert.equal(stdout.length, 0, 'a preview is for people, at a terminal');
    assert.match(stderr, /next: see .*demo-scored\.csv/);
    assert.equal(
      (await readFile(join(folder, 'demo-scored.csv'), 'utf8')).split('\n')[0]?.split(',').length,
      18,
    );
  });

  slow('runs a definition from stdin, with paths relative to the working directory', async () => {
    const stdin = `score: { input: ${some}, output: from-stdin.csv, report: churn }`;
    await exits(run(['run', '-'], { stdin }), 0);
    assert.ok((await stat(join(folder, 'from-stdin.csv'))).size > 0);
    await exits(
      runHere(['run', '-'], 'score: { input: "-", report: churn }'),
      2,
      /stdin cannot supply both the definition and the rows/,
    );
  });

  slow('serves the same client until it is stopped', async () => {
    const child = spawn(process.execPath, [bin, 'serve', '--port', '0'], {
      env: { PATH: process.env.PATH, ...env, ROWCAST_API_KEY: 'a-key-of-mine' },
    });
    const url = await announcedUrl(child);
    const remote = { ROWCAST_URL: url, ROWCAST_API_KEY: 'a-key-of-mine' };
    const scored = await exits(run(['score', some, '--report', 'churn'], { env: remote }), 0);
    assert.ok(!scored.stderr.includes('a-key-of-mine'));
    const local = await run(['score', some, '--report', 'churn']);
    assert.deepEqual(scored.stdout, local.stdout);
    await exits(
      run(['score', some, '--report', 'churn'], {
        env: { ...remote, ROWCAST_API_KEY: 'wrong' },
      }),
      2,
      /responded with 401/,
    );
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });

  describe('reports what is wrong and what to do', () => {
    const cases: {
      name: string;
      args: string[];
      env?: Record<string, string>;
      /** Whether there is a service, which has every report. */
      isServed?: true;
      code: number;
      says: RegExp;
    }[] = [
      { name: 'no command', args: [], code: 2, says: /no command given; rowcast --help lists them/ },
      { name: 'an unknown command', args: ['scor'], code: 2, says: /Did you mean score\?/ },
      {
        name: 'an unknown flag',
        args: ['score', '--reprot', 'x'],
        code: 2,
        says: /unknown option: --reprot\. Did you mean --report\?/,
      },
      { name: 'no report', args: ['score', personas], code: 2, says: /no report given; use --report/ },
      {
        name: 'a report that does not exist, with the folder that was searched',
        args: ['score', personas, '--report', 'chrun'],
        code: 2,
        says: /home\/reports: .*no report "chrun"/,
      },
      {
        name: 'an input that does not exist',
        args: ['score', 'nowhere.csv', '--report', 'churn'],
        isServed: true,
        code: 2,
        says: /nowhere\.csv: no such file/,
      },
      {
        name: 'a folder as input',
        args: ['score', '/', '--report', 'churn'],
        isServed: true,
        code: 2,
        says: /the input is a folder/,
      },
      {
        name: 'an output with unsupported compression, with a pipe that does it',
        args: ['score', personas, '--report', 'churn', '-o', 'scored.csv.xz'],
        code: 2,
        says: /cannot write \.xz files.*\n.*\| xz > scored\.csv\.xz/,
      },
      {
        name: 'an output folder that cannot be created, because a file has its name',
        args: ['score', personas, '--report', 'churn', '-o', `${personas}/x.csv`],
        isServed: true,
        code: 2,
        says: /personas\.csv\/x\.csv: cannot write the output: not a directory \(ENOTDIR\)/,
      },
      {
        name: 'an invalid number',
        args: ['score', '--report', 'x', '--limit', 'ten'],
        code: 2,
        says: /--limit: /,
      },
      {
        name: 'a number out of range',
        args: ['score', '--report', 'x', '--batch-rows', '0'],
        code: 2,
        says: /--batch-rows: .*1/,
      },
      {
        name: 'an invalid delimiter',
        args: ['score', personas, '--report', 'churn', '--delimiter', 'ab'],
        isServed: true,
        code: 2,
        says: /--delimiter "ab"/,
      },
      {
        name: 'a service without a key',
        args: ['report', 'x', '--url', 'http://127.0.0.1:1'],
        code: 2,
        says: /no API key in the variable ROWCAST_API_KEY/,
      },
      {
        name: 'a service that cannot be reached',
        args: ['score', personas, '--report', 'x', '--url', 'http://127.0.0.1:1', '--max-outage', '100ms'],
        env: { ROWCAST_API_KEY: 'k' },
        code: 75,
        says: /cannot connect to the service: connection refused \(127\.0\.0\.1:1\)/,
      },
      {
        name: 'plain http to another host',
        args: ['report', 'x', '--url', 'http://predictions.example'],
        env: { ROWCAST_API_KEY: 'k' },
        code: 2,
        says: /the API key would be sent unencrypted/,
      },
      {
        name: 'a key in the URL, without showing it',
        args: ['report', 'x', '--url', 'https://me:secret@predictions.example'],
        env: { ROWCAST_API_KEY: 'k' },
        code: 2,
        says: /^(?!.*secret).*must not contain user info/s,
      },
      {
        name: 'a column that does not exist',
        args: ['train', join(root, 'fixtures/telecom-history.csv'), '--predict', 'churn'],
        code: 2,
        says: /churned/,
      },
      {
        name: 'a definition that does not exist',
        args: ['run', 'nowhere.yaml'],
        code: 2,
        says: /nowhere\.yaml: no such file/,
      },
    ];
    for (const { name, args, code, says, env: more = {}, isServed } of cases)
      it(name, async () => {
        const service = stub.env;
        const finished = await inProcess.rowcast(args, {
          cwd: folder,
          env: { ...env, ...(isServed && service), ...more },
        });
        assert.match(finished.stderr, says);
        assert.equal(finished.code, code);
        assert.equal(finished.stdout.length, 0);
      });
  });

  it('prints help and version on stdout, within 80 columns', async () => {
    const [help, score, version] = await Promise.all([
      runHere(['--help']),
      runHere(['score', '--help']),
      run(['--version']),
    ]);
    for (const { code, stdout } of [help, score]) {
      assert.equal(code, 0);
      for (const line of stdout.toString().split('\n')) assert.ok(line.length <= 80, line);
    }
    assert.match(score.stdout.toString(), /--batch-rows N +most rows of a request/);
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

/** The URL that `serve` logs when it listens. */
async function announcedUrl(child: ChildProcess): Promise<string> {
  if (child.stderr === null) throw new Error('stderr is not piped');
  for await (const line of createInterface({ input: child.stderr })) {
    const [url] = /http:\/\/\S+/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('serve ended without a URL');
}
