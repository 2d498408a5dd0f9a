import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { makeFifo } from '../../support/fifo.ts';
import { newFolder } from '../../support/folder.ts';
import { rowcast } from '../../support/in-process.ts';
import { listen } from '../../support/listen.ts';
import { root } from '../../support/root.ts';
import { exits, startRowcast, waitForStderr } from '../../support/rowcast.ts';
import { slow } from '../../support/slow.ts';
import { type StubOptions, startStub } from '../../support/stub/service.ts';

const path = '/services/T000/B000/a-secret-in-a-path';

interface Bench {
  folder: string;
  env: Record<string, string>;
  /** What was posted, and where. */
  posted: { path: string | undefined; body: Record<string, unknown> & { text: string } }[];
  /** `rowcast score in.csv --report r -o out.csv` with these options too. */
  score(...more: string[]): ReturnType<typeof rowcast>;
}

/** @param statuses of the responses of the URL that is told, the last one for all that follow */
async function bench(
  t: TestContext,
  { statuses = [200], ...options }: StubOptions & { statuses?: number[] } = {},
): Promise<Bench> {
  const stub = await startStub(t, { report: { classes: ['no', 'yes'] }, ...options });
  const posted: Bench['posted'] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    posted.push({ path: request.url, body: JSON.parse(body) });
    const status = statuses[posted.length - 1] ?? statuses.at(-1) ?? 200;
    response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end();
  });
  const folder = await newFolder(t, { 'in.csv': 'id\n1\n2\n' });
  const env = {
    ROWCAST_URL: stub.url,
    ROWCAST_API_KEY: stub.key,
    ROWCAST_NOTIFY_URL: `${await listen(t, server)}${path}`,
  };
  const args = ['score', 'in.csv', '--report', 'r', '-o', 'out.csv'];
  return { folder, env, posted, score: (...more) => rowcast([...args, ...more], { cwd: folder, env }) };
}

const told = ['--notify-env', 'ROWCAST_NOTIFY_URL'];

describe('--notify-env', () => {
  it('says why a run that finds everything done ends with 1', async t => {
    const { folder, posted, score } = await bench(t);
    await writeFile(join(folder, 'in.csv'), 'id\n1\n2,3\n');
    for (const _ of ['first', 'second'])
      assert.equal((await score(...told, '--if-exists', 'skip-unchanged')).code, 1);
    assert.match(
      posted[1]?.body.text ?? '',
      /had nothing to do: .* \(exit code 1\)\. When the skipped files were scored, 1 row was rejected\.$/,
    );
  });

  it('sends the summary with a text for people, bounded, when a run has finished', async t => {
    const { folder, posted, score } = await bench(t);
    const { stderr } = await exits(score(...told, '--summary', 's.json'), 0);
    const [only] = posted;
    assert.equal(posted.length, 1);
    assert.equal(only?.path, path);
    const { text, status, exit_code, rows, columns, options, run_id } = only?.body ?? { text: '' };
    assert.equal(
      text,
      `rowcast score has finished: ${folder}/in.csv to ${folder}/out.csv, report r, 2 rows read, 2 scored (exit code 0).`,
    );
    assert.deepEqual([status, exit_code, columns, options], ['finished', 0, undefined, undefined]);
    assert.deepEqual(rows, { read: 2, scored: 2, rejected: 0, rejected_by: {} });
    const summary = await readFile(join(folder, 's.json'), 'utf8');
    assert.equal(JSON.parse(summary).run_id, run_id);
    assert.doesNotMatch(summary, /secret|notify/i);
    assert.doesNotMatch(stderr, /secret/);
  });

  it('is retried while the URL is busy, and not after a refusal or a redirect; the run has its own result', async t => {
    const busy = await bench(t, { statuses: [503, 429, 204] });
    assert.deepEqual([(await busy.score(...told)).code, busy.posted.length], [0, 3]);
    for (const status of [404, 302]) {
      const refusing = await bench(t, { statuses: [status] });
      const { code, stderr } = await refusing.score(...told);
      assert.deepEqual([code, refusing.posted.length], [0, 1]);
      assert.match(
        stderr,
        new RegExp(
          `\n?rowcast: the URL in ROWCAST_NOTIFY_URL was not told how the command has ended: the endpoint responded with ${status}\n`,
        ),
      );
      assert.doesNotMatch(stderr, /a-secret-in-a-path/);
    }
  });

  it('costs one warning if the variable has no URL, and is refused if it is none for it', async t => {
    const { env, folder, score } = await bench(t);
    for (const [url, said] of [
      ['', 'the variable is not set'],
      ['ftp://host/secret', 'it is not an http or https URL'],
      ['https://user:secret@host/', 'it must not contain user info'],
    ] as const) {
      const args = ['score', 'in.csv', '--report', 'r', '-o', 'out.csv', ...told];
      const { stderr } = await exits(
        rowcast(args, {
          cwd: folder,
          env: { ...env, ROWCAST_NOTIFY_URL: url },
        }),
        0,
      );
      assert.match(stderr, new RegExp(`has ended: ${said}\n`));
      assert.doesNotMatch(stderr, /secret/);
    }
    for (const name of ['ROWCAST_API_KEY', 'SLACK_URL']) {
      await exits(
        score('--notify-env', name),
        2,
        /--notify-env: .* is not the name of a variable for it \[usage\]/,
      );
    }
  });

  it('tells what a command could not begin with: a missing input, a missing key, a wrong option, a broken definition', async t => {
    const { env, folder, posted, score } = await bench(t);
    const { ROWCAST_API_KEY: _, ...keyless } = env;
    const args = ['score', 'in.csv', '--report', 'r', '-o', 'out.csv', ...told];
    await rowcast(args, { cwd: folder, env: keyless });
    await score('--max-rejects', 'some', ...told);
    await rowcast(['score', 'none.csv', ...args.slice(2)], { cwd: folder, env });
    await writeFile(
      join(folder, 'd.yaml'),
      'score:\n  inptu: in.csv\n  input: in.csv\n  report: r\n  notify-env: ROWCAST_NOTIFY_URL\n',
    );
    assert.equal((await rowcast(['run', 'd.yaml', '--trust-definition'], { cwd: folder, env })).code, 2);
    const ends = posted.map(({ body: { text: _, status, exit_code, error } }) => [
      status,
      exit_code,
      (error as { code: string }).code,
    ]);
    assert.deepEqual(ends, [
      ['refused', 2, 'no_key'],
      ['refused', 2, 'bad_option'],
      ['refused', 2, 'no_such_file'],
      ['refused', 2, 'bad_definition'],
    ]);
    assert.match(posted[2]?.body.text ?? '', /none\.csv: no such file \[no_such_file\]\. Check the path\.$/);
    assert.match(
      posted[3]?.body.text ?? '',
      /^rowcast run was refused: d\.yaml \(exit code 2\)\. d\.yaml:2: score\.inptu: unknown key.*\[bad_definition\]/,
    );
  });

  it('has no words of the service or values of rows: they may be confidential', async t => {
    const { posted, score, folder } = await bench(t, {
      async behave({ response }) {
        response.writeHead(422, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ code: 'smith_is_unknown', detail: 'smith@example.com is unknown' }));
        return true;
      },
    });
    await writeFile(join(folder, 'in.csv'), 'id\nsmith@example.com\n');
    await score(...told, '--max-rejects', '0');
    assert.equal(posted.length, 1);
    assert.doesNotMatch(JSON.stringify(posted), /smith/);
    assert.match(posted[0]?.body.text ?? '', /\(exit code 3\)/);
  });

  it('tells the outcome of several files in one message, and each definition in its own', async t => {
    const { env, folder, posted } = await bench(t);
    await writeFile(join(folder, 'b.csv'), 'id\n"1\n');
    const many = ['score', '*.csv', '--report', 'r', '-o', 'scored/{name}.csv', ...told];
    const onEnd = ['--on-end', 'cat "$ROWCAST_SUMMARY" >told.json'];
    assert.equal((await rowcast([...many, ...onEnd], { cwd: folder, env })).code, 3);
    const { runs } = JSON.parse(await readFile(join(folder, 'told.json'), 'utf8'));
    assert.deepEqual(
      runs.map(({ status }: { status: string }) => status),
      ['stopped', 'finished'],
    );
    assert.equal(posted.length, 1);
    assert.deepEqual(posted[0]?.body.files, { finished: 1, stopped: 1 });
    assert.match(posted[0]?.body.text ?? '', /2 files.*Not scored: 1 file: .*b\.csv \[/);
    for (const name of ['x', 'y'])
      await writeFile(
        join(folder, `${name}.yaml`),
        `score: { input: in.csv, output: ${name}.csv, report: r, notify-env: ROWCAST_NOTIFY_URL }\n`,
      );
    await exits(rowcast(['run', 'x.yaml', 'y.yaml', '--trust-definition'], { cwd: folder, env }), 0);
    assert.deepEqual(
      posted.slice(1).map(({ body }) => body.output),
      [join(folder, 'x.csv'), join(folder, 'y.csv')],
    );
  });

  it('counts rejects by the codes of rowcast', async t => {
    const { posted, score, folder } = await bench(t);
    await writeFile(join(folder, 'in.csv'), 'id,plan\n1,a\n2\n3,b\n');
    assert.equal((await score(...told)).code, 1);
    assert.deepEqual(posted[0]?.body.rows, {
      read: 3,
      scored: 2,
      rejected: 1,
      rejected_by: { too_few_fields: 1 },
    });
  });

  it('has the hint of a refused key, which names the variable, and says why an input is not ready', async t => {
    const { env, folder, posted } = await bench(t);
    const args = ['score', 'in.csv', '--report', 'r', '-o', 'out.csv', ...told];
    const ofOther = { ...env, ROWCAST_API_KEY: 'other', ROWCAST_CHURN_KEY: 'wrong' };
    await rowcast([...args, '--api-key-env', 'ROWCAST_CHURN_KEY'], { cwd: folder, env: ofOther });
    assert.match(posted[0]?.body.text ?? '', /Check the key in ROWCAST_CHURN_KEY/);
    assert.doesNotMatch(posted[0]?.body.text ?? '', /ApiKey KEY/);
    const late = [...'score none-*.csv --report r -o s/{name}.csv --ready-file done'.split(' '), ...told];
    assert.equal((await rowcast(late, { cwd: folder, env })).code, 75);
    assert.match(
      posted[1]?.body.text ?? '',
      /none-\*\.csv: the input is not ready: no file matches the pattern \[input_not_ready\]\. Try again: run the same command\./,
    );
  });

  it('gives the reason once when one failure stops many files, with what to do', async t => {
    let requests = 0;
    const { env, folder, posted } = await bench(t, {
      async behave({ response }) {
        if (++requests < 2) return false;
        response.writeHead(401, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ code: 'unauthorized', detail: 'The key was revoked.' }));
        return true;
      },
    });
    for (const name of ['east', 'north', 'south']) await writeFile(join(folder, `${name}.csv`), 'id\n1\n2\n');
    const many = ['score', '*.csv', '--report', 'r', '-o', 's/{name}.csv', '--jobs', '1', ...told];
    const { stderr } = await rowcast([...many, '--on-end', 'echo "code: $ROWCAST_ERROR"'], {
      cwd: folder,
      env,
    });
    assert.match(stderr, /^code: unauthorized$/m);
    const { text = '' } = posted[0]?.body ?? {};
    assert.match(text, /\[unauthorized\], row 1\. Check the key in ROWCAST_API_KEY/);
    assert.match(text, /Not scored: 3 files: \S+\.csv \[unauthorized\]; 2 of them were stopped for that\./);
    assert.doesNotMatch(text, /interrupted/);
  });

  it('names the rejects of files that too many rejects have stopped as they are on disk', async t => {
    const { env, folder, posted } = await bench(t);
    await writeFile(join(folder, 'east.csv'), 'id,plan\n1,a\n2\n3\n4\n');
    const many = ['score', 'east.csv', 'in.csv', '--report', 'r', '-o', '{name}.out.csv', '--jobs', '1'];
    await rowcast([...many, '--max-rejects', '2', ...told], { cwd: folder, env });
    const [, path = ''] = /Rejected rows are in (\S+)\.(?: |$)/.exec(posted[0]?.body.text ?? '') ?? [];
    assert.ok(existsSync(path), posted[0]?.body.text);
  });
});

describe('--on-end', () => {
  const shown = `printf '%s|' "$ROWCAST_EXIT_CODE" "$ROWCAST_STATUS" "$ROWCAST_ERROR" "$ROWCAST_OUTPUT" "$ROWCAST_TEXT"; cat "$ROWCAST_SUMMARY" >told.json`;

  it('runs a command that knows how the run has ended, and cannot see the keys', async t => {
    const { env, folder } = await bench(t);
    const given = {
      ...env,
      ROWCAST_OWN_TOKEN: 'the-token-of-a-header',
      ROWCAST_HEADER: 'the-value-of-a-header',
      ROWCAST_DAY: '2026-10-01',
    };
    const args = ['score', 'in.csv', '--report', 'r', '-o', 'out.csv', ...told];
    const { stderr } = await exits(
      rowcast([...args, '--header-env', 'X-Own=ROWCAST_HEADER', '--on-end', `${shown}; env >env.txt`], {
        cwd: folder,
        env: given,
      }),
      0,
    );
    assert.match(
      stderr,
      new RegExp(`^0\\|finished\\|\\|${folder}/out\\.csv\\|rowcast score has finished: .*\\|`, 'm'),
    );
    const summary = JSON.parse(await readFile(join(folder, 'told.json'), 'utf8'));
    assert.deepEqual([summary.status, summary.rows.scored, summary.options], ['finished', 2, {}]);
    const seen = await readFile(join(folder, 'env.txt'), 'utf8');
    assert.match(seen, /^ROWCAST_DAY=2026-10-01$/m);
    assert.doesNotMatch(seen, /API_KEY|OWN_TOKEN|ROWCAST_HEADER|NOTIFY_URL/);
    assert.equal(existsSync(/ROWCAST_SUMMARY=(.*)/.exec(seen)?.[1] ?? ''), false);
  });

  it('costs one warning if it fails', async t => {
    const { score } = await bench(t);
    const { stderr } = await exits(score('--on-end', 'exit 7', '--log-format', 'json'), 0);
    const [warning] = stderr.split('\n').filter(line => line.includes('on_end_failed'));
    assert.equal(JSON.parse(warning ?? '{}').msg, 'the command of --on-end ended with exit code 7');
  });

  it('is ended after a minute, and so is the waiting for a URL that does not respond, whatever the exit code', async t => {
    const { env, folder } = await bench(t);
    const silent = await listen(
      t,
      createServer(() => {}),
    );
    const hourMs = {
      NIGHT_HOUR_MS: '60000',
      NODE_OPTIONS: `--import=${join(root, 'dist/test/nights/fast-clock.js')}`,
    };
    const given = { ...env, ...hourMs, ROWCAST_NOTIFY_URL: silent };
    const { finished } = startRowcast(
      ['score', 'in.csv', '--report', 'r', '-o', 'out.csv', ...told, '--on-end', 'sleep 600'],
      { cwd: folder, env: given },
    );
    const { code, stderr } = await finished;
    assert.equal(code, 0, stderr);
    assert.match(stderr, /was not told how the command has ended: no response in time/);
    assert.match(stderr, /the command of --on-end took too long/);
  });

  it('runs after a signal too, and another signal ends it', async t => {
    const { env, folder } = await bench(t, { behave: () => new Promise(() => {}) });
    const args = ['score', 'in.csv', '--report', 'r', '-o', 'out.csv'];
    const { child, finished } = startRowcast([...args, '--on-end', `${shown}; echo begun; sleep 60`], {
      cwd: folder,
      env,
    });
    await waitForStderr(child, /scoring in\.csv/);
    const begun = waitForStderr(child, /begun/);
    child.kill('SIGTERM');
    await begun;
    child.kill('SIGTERM');
    const { code, stderr } = await finished;
    assert.equal(code, 143);
    assert.match(stderr, /^143\|stopped\|interrupted\|/m);
  });
});

describe('what trained, worked and assembled is told of', () => {
  it('is the report with its accuracy, or why there is none', async t => {
    const { env, folder, posted } = await bench(t);
    const { ROWCAST_URL: _, ...local } = env;
    const rows = Array.from({ length: 60 }, (_, i) => `${i % 2 ? 'a' : 'b'},${i % 2 ? 'yes' : 'no'}\n`);
    await writeFile(join(folder, 'history.csv'), `plan,y\n${rows.join('')}`);
    const train = ['train', 'history.csv', '--report', 'r', ...told];
    assert.equal((await rowcast([...train, '--predict', 'y'], { cwd: folder, env: local })).code, 0);
    assert.equal((await rowcast([...train, '--predict', 'z'], { cwd: folder, env: local })).code, 2);
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
    const { env, folder, posted } = await bench(t);
    const { ROWCAST_URL: _, ...local } = env;
    await writeFile(
      join(folder, 'h.yaml'),
      'train: { history: history.csv, predict: y, report: r }\nscore: { input: in.csv, output: out.csv, report: r, summary: s.json }\n',
    );
    await makeFifo(join(folder, 'history.csv'));
    for (const args of [
      ['train', 'history.csv', '--predict', 'y'],
      ['run', 'h.yaml'],
    ]) {
      const { child, finished } = startRowcast([...args, ...told], { cwd: folder, env: local });
      await waitForStderr(child, /training on/);
      child.kill('SIGTERM');
      const { code, signal } = await finished;
      assert.ok(code === 143 || signal === 'SIGTERM', `${code} ${signal}`);
    }
    const ends = posted.map(({ body: { command, status, exit_code, error } }) => [
      ...[command, status, exit_code],
      (error as { code: string }).code,
    ]);
    assert.deepEqual(ends, [
      ['train', 'stopped', 143, 'interrupted'],
      ['run', 'stopped', 143, 'interrupted'],
    ]);
    assert.equal(JSON.parse(await readFile(join(folder, 's.json'), 'utf8')).status, 'stopped');
  });

  it('is the folder and the number of shards, then the summary of the joined run', async t => {
    const { env, folder, posted } = await bench(t);
    const run = (...args: string[]) => rowcast(args, { cwd: folder, env });
    const plan = ['plan', 'in.csv', '--report', 'r', '-o', 'out.csv', '--shards', 's'];
    assert.equal((await run(...plan, '--on-end', 'touch planned')).code, 0);
    assert.equal((await run('work', 's', ...told)).code, 0);
    assert.equal((await run('assemble', 's', ...told)).code, 0);
    const [worked, joined] = posted.map(({ body }) => body);
    assert.deepEqual([worked?.command, worked?.folder, worked?.shards], ['work', 's', 1]);
    assert.deepEqual([joined?.command, joined?.status], ['assemble', 'finished']);
    assert.match(joined?.text ?? '', /2 rows read, 2 scored/);
    assert.equal(existsSync(join(folder, 'planned')), false);
  });
});

describe('a definition that tells somebody', () => {
  it('needs trust, and check says what it would do', async t => {
    const { env, folder, posted } = await bench(t);
    await writeFile(
      join(folder, 'd.yaml'),
      'score:\n  input: in.csv\n  output: out.csv\n  report: r\n  notify-env: ROWCAST_NOTIFY_URL\n  on-end: touch done\n',
    );
    const run = (...args: string[]) => rowcast(args, { cwd: folder, env });
    await exits(
      run('run', 'd.yaml'),
      2,
      /d\.yaml:5: score\.notify-env: the definition would send the summary to the URL in ROWCAST_NOTIFY_URL/,
    );
    const withoutUrl = await run('run', 'd.yaml', ...told);
    assert.match(withoutUrl.stderr, /d\.yaml:6: score\.on-end: the definition would run touch done; /);
    // Whom the flag names is the user's own choice.
    assert.equal(posted.length, 1);
    const checked = await run('check', 'd.yaml', '--trust-definition');
    assert.match(
      checked.stdout.toString(),
      / {2}sends {3}score\.notify-env: the summary to the URL in ROWCAST_NOTIFY_URL\n {2}runs {4}score\.on-end: touch done\n/,
    );
    assert.equal(existsSync(join(folder, 'done')), false);
    assert.equal((await run('run', 'd.yaml', '--trust-definition')).code, 0);
    assert.equal(existsSync(join(folder, 'done')), true);
  });
});
