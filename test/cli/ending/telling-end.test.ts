import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { commandsIn } from '../../support/cli/commands.ts';
import { makeFifo } from '../../support/fifo.ts';
import { exits } from '../../support/in-process.ts';
import { listen } from '../../support/listen.ts';
import { root } from '../../support/root.ts';
import { waitForStderr } from '../../support/rowcast.ts';
import { slow } from '../../support/slow.ts';
import { type StubOptions, startStub } from '../../support/stub/service.ts';

const secretPath = '/services/T000/B000/a-secret-in-a-path';

/** What was posted, and where. */
interface Posted {
  path: string | undefined;
  body: Record<string, unknown> & { text: string; error?: { code: string } };
}

/** @param statuses of the responses of the URL that is told, the last one for all that follow */
async function bench(
  t: TestContext,
  { statuses = [200], ...options }: StubOptions & { statuses?: number[] } = {},
) {
  const stub = await startStub(t, { report: { classes: ['no', 'yes'] }, ...options });
  const posted: Posted[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    posted.push({ path: request.url, body: JSON.parse(body) });
    const status = statuses[posted.length - 1] ?? statuses.at(-1) ?? 200;
    response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end();
  });
  const env = { ...stub.env, ROWCAST_NOTIFY_URL: `${await listen(t, server)}${secretPath}` };
  const commands = await commandsIn(t, { 'in.csv': 'id\n1\n2\n' }, env);
  return {
    ...commands,
    posted,
    textOf: (index: number): string => posted[index]?.body.text ?? '',
  };
}

const told = '--notify-env ROWCAST_NOTIFY_URL';
const score = 'score in.csv --report r -o out.csv';

describe('--notify-env', () => {
  it('says why a run that finds everything done ends with 1', async t => {
    const { write, textOf, run } = await bench(t);
    await write('in.csv', 'id\n1\n2,3\n');
    for (const _ of ['first', 'second']) await exits(run(`${score} ${told} --if-exists skip-unchanged`), 1);
    assert.match(
      textOf(1),
      /had nothing to do: .* \(exit code 1\)\. When the skipped files were scored, 1 row was rejected\.$/,
    );
  });

  it('sends the summary with a text for people, bounded, when a run has finished', async t => {
    const { path, read, posted, run } = await bench(t);
    const { stderr } = await exits(run(`${score} ${told} --summary s.json`), 0);
    const [only] = posted;
    assert.deepEqual([posted.length, only?.path], [1, secretPath]);
    const { text, status, exit_code, rows, columns, options, run_id } = only?.body ?? { text: '' };
    assert.equal(
      text,
      `rowcast score has finished: ${path('in.csv')} to ${path('out.csv')}, report r, 2 rows read, 2 scored (exit code 0).`,
    );
    assert.deepEqual([status, exit_code, columns, options], ['finished', 0, undefined, undefined]);
    assert.deepEqual(rows, { read: 2, scored: 2, rejected: 0, rejected_by: {} });
    const summary = await read('s.json');
    assert.equal(JSON.parse(summary).run_id, run_id);
    assert.doesNotMatch(summary, /secret|notify/i);
    assert.doesNotMatch(stderr, /secret/);
  });

  it('is retried while the URL is busy, and not after a refusal or a redirect; the run has its own result', async t => {
    const busy = await bench(t, { statuses: [503, 429, 204] });
    await exits(busy.run(`${score} ${told}`), 0);
    assert.equal(busy.posted.length, 3);
    for (const status of [404, 302]) {
      const { run, posted } = await bench(t, { statuses: [status] });
      const says = `\n?rowcast: the URL in ROWCAST_NOTIFY_URL was not told how the command has ended: the endpoint responded with ${status}\n`;
      const { stderr } = await exits(run(`${score} ${told}`), 0, new RegExp(says));
      assert.equal(posted.length, 1);
      assert.doesNotMatch(stderr, /a-secret-in-a-path/);
    }
  });

  it('costs one warning if the variable has no URL, and is refused if it is none for it', async t => {
    const { run } = await bench(t);
    for (const [url, said] of [
      ['', 'the variable is not set'],
      ['ftp://host/secret', 'it is not an http or https URL'],
      ['https://user:secret@host/', 'it must not contain user info'],
    ] as const) {
      const scoring = run(`${score} ${told}`, { env: { ROWCAST_NOTIFY_URL: url } });
      const { stderr } = await exits(scoring, 0, new RegExp(`has ended: ${said}\n`));
      assert.doesNotMatch(stderr, /secret/);
    }
    const says = /--notify-env: .* is not the name of a variable for it \[usage\]/;
    for (const name of ['ROWCAST_API_KEY', 'SLACK_URL'])
      await exits(run(`${score} --notify-env ${name}`), 2, says);
  });

  it('tells what a command could not begin with: a missing input, a missing key, a wrong option, a broken definition', async t => {
    const { write, posted, textOf, run } = await bench(t);
    const definition =
      'score:\n  inptu: in.csv\n  input: in.csv\n  report: r\n  notify-env: ROWCAST_NOTIFY_URL\n';
    await write('d.yaml', definition);
    await run(`${score} ${told}`, { env: { ROWCAST_API_KEY: '' } });
    await run(`${score} ${told} --max-rejects some`);
    await run(`${score.replace('in.csv', 'none.csv')} ${told}`);
    await exits(run('run d.yaml --trust-definition'), 2);
    assert.deepEqual(
      posted.map(({ body: { status, exit_code, error } }) => [status, exit_code, error?.code]),
      ['no_key', 'bad_option', 'no_such_file', 'bad_definition'].map(code => ['refused', 2, code]),
    );
    assert.match(textOf(2), /none\.csv: no such file \[no_such_file\]\. Check the path\.$/);
    assert.match(
      textOf(3),
      /^rowcast run was refused: d\.yaml \(exit code 2\)\. d\.yaml:2: score\.inptu: unknown key.*\[bad_definition\]/,
    );
  });

  it('has no words of the service or values of rows: they may be confidential', async t => {
    const { posted, textOf, run, write } = await bench(t, {
      behave({ response }) {
        response.writeHead(422, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ code: 'smith_is_unknown', detail: 'smith@example.com is unknown' }));
        return true;
      },
    });
    await write('in.csv', 'id\nsmith@example.com\n');
    await run(`${score} ${told} --max-rejects 0`);
    assert.equal(posted.length, 1);
    assert.doesNotMatch(JSON.stringify(posted), /smith/);
    assert.match(textOf(0), /\(exit code 3\)/);
  });

  it('tells the outcome of several files in one message, and each definition in its own', async t => {
    const { run, write, path, jsonIn, posted, textOf } = await bench(t);
    await write('b.csv', 'id\n"1\n');
    const many = `score *.csv --report r -o scored/{name}.csv ${told}`.split(' ');
    await exits(run([...many, '--on-end', 'cat "$ROWCAST_SUMMARY" >told.json']), 3);
    const { runs } = await jsonIn('told.json');
    assert.deepEqual(
      runs.map(({ status }: { status: string }) => status),
      ['stopped', 'finished'],
    );
    assert.equal(posted.length, 1);
    assert.deepEqual(posted[0]?.body.files, { finished: 1, stopped: 1 });
    assert.match(textOf(0), /2 files.*Not scored: 1 file: .*b\.csv \[/);
    for (const name of ['x', 'y'])
      await write(
        `${name}.yaml`,
        `score: { input: in.csv, output: ${name}.csv, report: r, notify-env: ROWCAST_NOTIFY_URL }\n`,
      );
    await exits(run('run x.yaml y.yaml --trust-definition'), 0);
    const outputs = posted.slice(1).map(({ body }) => body.output);
    assert.deepEqual(outputs, [path('x.csv'), path('y.csv')]);
  });

  it('counts rejects by the codes of rowcast', async t => {
    const { posted, run, write } = await bench(t);
    await write('in.csv', 'id,plan\n1,a\n2\n3,b\n');
    await exits(run(`${score} ${told}`), 1);
    const rejected_by = { too_few_fields: 1 };
    assert.deepEqual(posted[0]?.body.rows, { read: 3, scored: 2, rejected: 1, rejected_by });
  });

  it('has the hint of a refused key, which names the variable, and says why an input is not ready', async t => {
    const { run, textOf } = await bench(t);
    const env = { ROWCAST_API_KEY: 'other', ROWCAST_CHURN_KEY: 'wrong' };
    await run(`${score} ${told} --api-key-env ROWCAST_CHURN_KEY`, { env });
    assert.match(textOf(0), /Check the key in ROWCAST_CHURN_KEY/);
    assert.doesNotMatch(textOf(0), /ApiKey KEY/);
    await exits(run(`score none-*.csv --report r -o s/{name}.csv --ready-file done ${told}`), 75);
    assert.match(
      textOf(1),
      /none-\*\.csv: the input is not ready: no file matches the pattern \[input_not_ready\]\. Try again: run the same command\./,
    );
  });

  it('gives the reason once when one failure stops many files, with what to do', async t => {
    let requests = 0;
    const { run, write, textOf } = await bench(t, {
      behave({ response }) {
        if (++requests < 2) return false;
        response.writeHead(401, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ code: 'unauthorized', detail: 'The key was revoked.' }));
        return true;
      },
    });
    for (const name of ['east', 'north', 'south']) await write(`${name}.csv`, 'id\n1\n2\n');
    const many = `score *.csv --report r -o s/{name}.csv --jobs 1 ${told}`.split(' ');
    const { stderr } = await run([...many, '--on-end', 'echo "code: $ROWCAST_ERROR"']);
    assert.match(stderr, /^code: unauthorized$/m);
    const text = textOf(0);
    assert.match(text, /\[unauthorized\], row 1\. Check the key in ROWCAST_API_KEY/);
    assert.match(text, /Not scored: 3 files: \S+\.csv \[unauthorized\]; 2 of them were stopped for that\./);
    assert.doesNotMatch(text, /interrupted/);
  });

  it('names the rejects of files that too many rejects have stopped as they are on disk', async t => {
    const { run, write, textOf } = await bench(t);
    await write('east.csv', 'id,plan\n1,a\n2\n3\n4\n');
    await run(`score east.csv in.csv --report r -o {name}.out.csv --jobs 1 --max-rejects 2 ${told}`);
    const [, rejects = ''] = /Rejected rows are in (\S+)\.(?: |$)/.exec(textOf(0)) ?? [];
    assert.ok(existsSync(rejects), textOf(0));
  });
});

describe('--on-end', () => {
  const shown = `printf '%s|' "$ROWCAST_EXIT_CODE" "$ROWCAST_STATUS" "$ROWCAST_ERROR" "$ROWCAST_OUTPUT" "$ROWCAST_TEXT"; cat "$ROWCAST_SUMMARY" >told.json`;
  const onEnd = (line: string, command: string): string[] => [...line.split(' '), '--on-end', command];

  it('runs a command that knows how the run has ended, and cannot see the keys', async t => {
    const { run, path, read, jsonIn } = await bench(t);
    const env = {
      ROWCAST_OWN_TOKEN: 'the-token-of-a-header',
      ROWCAST_HEADER: 'the-value-of-a-header',
      ROWCAST_DAY: '2026-10-01',
    };
    const line = `${score} ${told} --header-env X-Own=ROWCAST_HEADER`;
    const { stderr } = await exits(run(onEnd(line, `${shown}; env >env.txt`), { env }), 0);
    const says = `^0\\|finished\\|\\|${path('out\\.csv')}\\|rowcast score has finished: .*\\|`;
    assert.match(stderr, new RegExp(says, 'm'));
    const summary = await jsonIn('told.json');
    assert.deepEqual([summary.status, summary.rows.scored, summary.options], ['finished', 2, {}]);
    const seen = await read('env.txt');
    assert.match(seen, /^ROWCAST_DAY=2026-10-01$/m);
    assert.doesNotMatch(seen, /API_KEY|OWN_TOKEN|ROWCAST_HEADER|NOTIFY_URL/);
    assert.equal(existsSync(/ROWCAST_SUMMARY=(.*)/.exec(seen)?.[1] ?? ''), false);
  });

  it('costs one warning if it fails', async t => {
    const { run } = await bench(t);
    const { stderr } = await exits(run(onEnd(`${score} --log-format json`, 'exit 7')), 0);
    const [warning] = stderr.split('\n').filter(line => line.includes('on_end_failed'));
    assert.equal(JSON.parse(warning ?? '{}').msg, 'the command of --on-end ended with exit code 7');
  });

  it('is ended after a minute, and so is the waiting for a URL that does not respond, whatever the exit code', async t => {
    const { start } = await bench(t);
    const silent = await listen(
      t,
      createServer(() => {}),
    );
    const { finished } = start(onEnd(`${score} ${told}`, 'sleep 600'), {
      env: {
        ROWCAST_NOTIFY_URL: silent,
        NIGHT_HOUR_MS: '60000',
        NODE_OPTIONS: `--import=${join(root, 'dist/test/nights/fast-clock.js')}`,
      },
    });
    const says = /was not told how the command has ended: no response in time/;
    await exits(finished, 0, says, /the command of --on-end took too long/);
  });

  it('runs after a signal too, and another signal ends it', async t => {
    const { start } = await bench(t, { behave: () => new Promise(() => {}) });
    const { child, finished } = start(onEnd(score, `${shown}; echo begun; sleep 60`));
    await waitForStderr(child, /scoring in\.csv/);
    const begun = waitForStderr(child, /begun/);
    child.kill('SIGTERM');
    await begun;
    child.kill('SIGTERM');
    await exits(finished, 143, /^143\|stopped\|interrupted\|/m);
  });
});

describe('what trained, worked and assembled is told of', () => {
  it('is the report with its accuracy, or why there is none', async t => {
    const { run, write, posted } = await bench(t);
    const rows = Array.from({ length: 60 }, (_, i) => `${i % 2 ? 'a' : 'b'},${i % 2 ? 'yes' : 'no'}\n`);
    await write('history.csv', `plan,y\n${rows.join('')}`);
    const local = { env: { ROWCAST_URL: '' } };
    await exits(run(`train history.csv --report r ${told} --predict y`, local), 0);
    await exits(run(`train history.csv --report r ${told} --predict z`, local), 2);
    const [trained, refused] = posted.map(({ body }) => body);
    assert.deepEqual(
      [trained?.command, trained?.status, trained?.report, trained?.accuracy, trained?.error],
      ['train', 'finished', 'r', '100.0%', null],
    );
    assert.equal(refused?.status, 'refused');
    assert.match(refused?.text ?? '', /^rowcast train was refused \(exit code 2\)\. .*\[/);
    assert.doesNotMatch(JSON.stringify(refused), /plan/);
  });

  slow('is that a signal has stopped the training, also while it waits for its rows', async t => {
    const { start, write, path, jsonIn, posted } = await bench(t);
    await write(
      'h.yaml',
      'train: { history: history.csv, predict: y, report: r }\nscore: { input: in.csv, output: out.csv, report: r, summary: s.json }\n',
    );
    await makeFifo(path('history.csv'));
    for (const line of ['train history.csv --predict y', 'run h.yaml']) {
      const { child, finished } = start(`${line} ${told}`, { env: { ROWCAST_URL: '' } });
      await waitForStderr(child, /training on/);
      child.kill('SIGTERM');
      const { code, signal } = await finished;
      assert.ok(code === 143 || signal === 'SIGTERM', `${code} ${signal}`);
    }
    assert.deepEqual(
      posted.map(({ body: { command, status, exit_code, error } }) => [
        command,
        status,
        exit_code,
        error?.code,
      ]),
      ['train', 'run'].map(command => [command, 'stopped', 143, 'interrupted']),
    );
    assert.equal((await jsonIn('s.json')).status, 'stopped');
  });

  it('is the folder and the number of shards, then the summary of the joined run', async t => {
    const { run, path, posted } = await bench(t);
    const plan = 'plan in.csv --report r -o out.csv --shards s'.split(' ');
    await exits(run([...plan, '--on-end', 'touch planned']), 0);
    await exits(run(`work s ${told}`), 0);
    await exits(run(`assemble s ${told}`), 0);
    const [worked, joined] = posted.map(({ body }) => body);
    assert.deepEqual([worked?.command, worked?.folder, worked?.shards], ['work', 's', 1]);
    assert.deepEqual([joined?.command, joined?.status], ['assemble', 'finished']);
    assert.match(joined?.text ?? '', /2 rows read, 2 scored/);
    assert.equal(existsSync(path('planned')), false);
  });
});

describe('a definition that tells somebody', () => {
  it('needs trust, and check says what it would do', async t => {
    const { run, write, path, posted } = await bench(t);
    const output = 'score:\n  input: in.csv\n  output: out.csv\n  report: r\n';
    await write('d.yaml', `${output}  notify-env: ROWCAST_NOTIFY_URL\n  on-end: touch done\n`);
    await exits(
      run('run d.yaml'),
      2,
      /d\.yaml:5: score\.notify-env: the definition would send the summary to the URL in ROWCAST_NOTIFY_URL/,
    );
    const withoutUrl = await run(`run d.yaml ${told}`);
    assert.match(withoutUrl.stderr, /d\.yaml:6: score\.on-end: the definition would run touch done; /);
    // Whom the flag names is the user's own choice.
    assert.equal(posted.length, 1);
    const checked = await run('check d.yaml --trust-definition');
    assert.match(
      checked.stdout,
      / {2}sends {3}score\.notify-env: the summary to the URL in ROWCAST_NOTIFY_URL\n {2}runs {4}score\.on-end: touch done\n/,
    );
    assert.equal(existsSync(path('done')), false);
    await exits(run('run d.yaml --trust-definition'), 0);
    assert.equal(existsSync(path('done')), true);
  });
});
