import assert from 'node:assert/strict';
import { execFile, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { makeFifo } from '../support/fifo.ts';
import { newFolder } from '../support/folder.ts';
import { exits, rowcast } from '../support/in-process.ts';
import { parquetOf } from '../support/parquet.ts';
import { bin, type Running, spawnRowcast, startRowcast, waitForStderr } from '../support/rowcast.ts';
import { type StubCall, type StubOptions, startStub } from '../support/stub/service.ts';
import { rowsOf } from './variants.ts';

const ROWS = 1000;

async function bench(t: TestContext, first?: StubOptions['first']) {
  const folder = await newFolder(t, { 'in.csv': rowsOf({}, ROWS) });
  const waiting: (() => void)[] = [];
  let from = Number.POSITIVE_INFINITY;
  let onStuck = (): void => {};
  const stub = await startStub(t, {
    report: { classes: ['no', 'yes'] },
    ...(first && { first }),
    async behave({ number }: StubCall) {
      if (number < from) return false;
      await new Promise<void>(resolve => {
        waiting.push(resolve);
        onStuck();
      });
      return false;
    },
  });
  const given = '--report r --features id --batch-rows 100 --url'.split(' ');
  /** The arguments of the command, and further ones. */
  const words = (input: string, more: readonly string[]) => ['score', input, ...given, stub.url, ...more];
  const options = { cwd: folder, env: { ROWCAST_API_KEY: stub.key } };
  return {
    folder,
    words,
    key: stub.key,
    /** Runs `score` in this process. */
    run: (more: readonly string[], input = 'in.csv') => rowcast(words(input, more), options),
    /** Starts `score` with further arguments. */
    start(more: readonly string[] = ['-o', 'out.csv'], input = 'in.csv'): Running {
      const running = startRowcast(words(input, more), options);
      t.after(async () => {
        running.child.kill('SIGKILL');
        await running.finished;
      });
      return running;
    },
    /** Runs a printed command in a shell. @returns what it said to stderr */
    async shell(command: string): Promise<string> {
      const own = `rowcast() { '${process.execPath}' '${bin}' "$@"; }`;
      return (await promisify(execFile)('sh', ['-c', `${own}; ${command}`], options)).stderr;
    },
    /** Starts the command, perhaps with another input. Nothing is written to its stdin or read from its stdout. */
    spawn(more: readonly string[], input = 'in.csv'): Running['child'] {
      const child = spawnRowcast(words(input, more), options);
      t.after(() => child.kill('SIGKILL'));
      return child;
    },
    /** Waits for the request with this number; this and all later ones get no response. */
    stuckAt(call: number): Promise<void> {
      from = call;
      return new Promise(resolve => {
        onStuck = resolve;
      });
    },
    unstick(): void {
      from = Number.POSITIVE_INFINITY;
      for (const answer of waiting) answer();
    },
  };
}

describe('a run that is stopped by a signal', { concurrency: 4 }, () => {
  const csv = rowsOf({}, ROWS).toString();
  const jsonLines = csv
    .trim()
    .split('\n')
    .slice(1)
    .map(line => line.split(','))
    .map(([id, plan, note]) => `${JSON.stringify({ id: Number(id), plan, note })}\n`);
  for (const { signal, code, input, bytes, output } of [
    { signal: 'SIGINT', code: 130, input: 'in.csv', bytes: csv, output: "an 'out'.csv" },
    { signal: 'SIGTERM', code: 143, input: 'in.csv', bytes: csv, output: 'of $HOME "`x`".csv.gz' },
    { signal: 'SIGHUP', code: 129, input: 'in.csv', bytes: csv, output: 'to\tb.parquet' },
    { signal: 'SIGINT', code: 130, input: 'in.tsv', bytes: csv.replaceAll(',', '\t'), output: '%s.tsv.zst' },
    { signal: 'SIGTERM', code: 143, input: 'in.jsonl', bytes: jsonLines.join(''), output: 'a\\b.jsonl.zst' },
    { signal: 'SIGHUP', code: 129, input: 'in.parquet', bytes: parquetOf(csv), output: 'of it.parquet' },
  ] as const)
    it(`by ${signal} finishes in-flight requests, exits with ${code}, prints how to resume, and resumes ${output}`, async t => {
      const { folder, key, run, start, shell, stuckAt, unstick } = await bench(t);
      await rm(join(folder, 'in.csv'));
      await writeFile(join(folder, input), await bytes);
      await exits(run(['-o', `whole-${output}`], input), 0);
      const stuck = stuckAt(13);
      const running = start(['-o', output, '--restart', '--concurrency', '1'], input);
      await Promise.race([stuck, running.finished.then(({ stderr }) => assert.fail(stderr))]);
      running.child.kill(signal);
      await waitForStderr(running.child, /finishing in-flight requests/);
      unstick();
      const { code: ended, stderr } = await running.finished;
      const status = await rowcast(['status', output], { cwd: folder });
      assert.match(status.stdout.toString(), /stopped; rerunning the command resumes at row 301\n/);
      assert.equal(ended, code, stderr);
      assert.ok(!stderr.includes(key));
      const [, command = ''] =
        /checkpoint saved at row 300; to resume, run: (rowcast .*)\n/.exec(stderr) ?? [];
      assert.ok(!command.includes('--restart'), 'the command would start over');
      assert.match(await shell(command), /resuming at row 301 /);
      const wanted = await readFile(join(folder, `whole-${output}`));
      assert.deepEqual(await readFile(join(folder, output)), wanted);
      await rm(join(folder, `whole-${output}`));
      assert.deepEqual((await readdir(folder)).sort(), [input, output].sort());
    });

  for (const [what, input, flags, outputs] of [
    ['several files', './in*.csv', ['-o', "of 'it'/{name}.csv"], ["of 'it'/in.csv", "of 'it'/in $2.csv"]],
    ['workers', 'in.csv', ['-o', "an 'out'.csv", '--workers', '1'], ["an 'out'.csv"]],
  ] as const)
    it(`of ${what} prints how to resume, and resumes`, async t => {
      const { folder, run, start, shell, stuckAt, unstick } = await bench(t);
      await cp(join(folder, 'in.csv'), join(folder, 'in $2.csv'));
      await exits(run(['-o', 'whole.csv']), 0);
      const stuck = stuckAt(18);
      const running = start([...flags, '--concurrency', '1'], input);
      await Promise.race([stuck, running.finished.then(({ stderr }) => assert.fail(stderr))]);
      running.child.kill('SIGTERM');
      await waitForStderr(running.child, /SIGTERM: /);
      unstick();
      const { code, stderr } = await running.finished;
      assert.equal(code, 143, stderr);
      await shell(/to resume, run: (rowcast .*)\n/.exec(stderr)?.[1] ?? assert.fail(stderr));
      for (const output of outputs)
        assert.deepEqual(await readFile(join(folder, output)), await readFile(join(folder, 'whole.csv')));
    });

  it('waits at most ten seconds for a service that never responds, and saves a checkpoint', async t => {
    const { start, stuckAt, folder } = await bench(t);
    const stuck = stuckAt(5);
    const running = start(['-o', 'out.csv', '--concurrency', '1']);
    await stuck;
    running.child.kill('SIGTERM');
    const { code, stderr } = await running.finished;
    assert.equal(code, 143, stderr);
    assert.match(stderr, /checkpoint saved at row 400; to resume, run: /);
    assert.deepEqual((await readdir(folder)).sort(), ['in.csv', 'out.csv.checkpoint', 'out.csv.partial']);
  });

  it('waits at most ten seconds for a reader of stdout that stopped reading', async t => {
    const { spawn } = await bench(t);
    const child = spawn([]);
    child.stderr.resume();
    // Output has started and nobody reads on: the pipe is full before the run ends.
    await once(child.stdout, 'readable');
    child.kill('SIGTERM');
    // If the pipe is full, a write of it never ends, so the process dies from the signal; a shell reports that as 143
    // too.
    const [code, signal] = await once(child, 'exit');
    assert.equal(signal ?? code, signal === null ? 143 : 'SIGTERM');
  });

  it('while it waits for the report exits at once', async t => {
    let onAsked = (): void => {};
    const asked = new Promise<void>(resolve => {
      onAsked = resolve;
    });
    const { start } = await bench(t, () => {
      onAsked();
      return true;
    });
    const running = start();
    await asked;
    running.child.kill('SIGINT');
    assert.equal((await running.finished).code, 130);
  });

  for (const [what, more, input] of [
    ['an input that has no writer', ['-o', 'out.csv'], 'fifo'],
    ['an output that has no reader', ['-o', 'fifo'], 'in.csv'],
  ] as const)
    it(`while it waits for ${what} exits at once`, async t => {
      const { folder, spawn } = await bench(t);
      await makeFifo(join(folder, 'fifo'));
      const child = spawn(more, input);
      await waitForStderr(child, /scoring /);
      // The report has been read, so the run waits for the FIFO, or is about to.
      child.kill('SIGTERM');
      const [code] = await once(child, 'exit');
      assert.equal(code, 143);
    });

  it('while it waits for stdin exits at once', async t => {
    const { spawn } = await bench(t);
    const child = spawn(['-o', 'out.csv'], '-');
    await waitForStderr(child, /scoring stdin/);
    child.kill('SIGINT');
    const [code] = await once(child, 'exit');
    assert.equal(code, 130);
  });
});

describe('a FIFO', () => {
  it('may be opened late by its reader and its writer', async t => {
    const { folder, spawn } = await bench(t);
    for (const name of ['from', 'to']) await makeFifo(join(folder, name));
    const child = spawn(['-o', 'to'], 'from');
    await waitForStderr(child, /scoring /);
    const whole = text(createReadStream(join(folder, 'to')));
    await writeFile(join(folder, 'from'), 'id,plan,note\n1,2,3\n');
    assert.match(await whole, /^id,.*\n1,2,3,0\.\d+,0\.\d+\n$/);
  });
});

describe('a stdout that discards everything', () => {
  it('is refused before any request if it may be closed', async t => {
    const { words, folder, key } = await bench(t);
    const options = { cwd: folder, env: { PATH: process.env.PATH, ROWCAST_API_KEY: key } };
    const shell = (redirected: string) =>
      spawn('bash', ['-c', `"$0" "$@" ${redirected}`, ...command], options);
    const command = [process.execPath, bin, ...words('in.csv', [])];
    const python =
      'import subprocess,sys; sys.exit(subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode)';
    for (const [how, start, isRefused] of [
      ['>&-', () => shell('>&-'), true],
      ['>/dev/null', () => shell('>/dev/null'), false],
      ['a file', () => shell('>rows.csv'), false],
      [
        "stdio 'ignore'",
        () => spawn(process.execPath, command.slice(1), { ...options, stdio: IGNORED }),
        true,
      ],
      ['subprocess.DEVNULL', () => spawn('python3', ['-c', python, ...command], options), true],
    ] as const) {
      const child = start();
      const ended = once(child, 'exit').catch(cause => {
        if (how !== 'subprocess.DEVNULL' || cause.code !== 'ENOENT') throw cause;
        t.diagnostic('python3 is needed to test its DEVNULL');
      });
      assert.ok(child.stderr);
      const said = await text(child.stderr);
      const [code] = (await ended) ?? [];
      if (code === undefined) continue;
      assert.equal(code, isRefused ? 2 : 0, `${how}: ${said}`);
      assert.equal(said.includes('[stdout_closed]'), isRefused, `${how}: ${said}`);
    }
  });
});

const IGNORED: StdioOptions = ['ignore', 'ignore', 'pipe'];
