import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { commandsIn } from '../../support/cli/commands.ts';
import { makeFifo } from '../../support/fifo.ts';
import { newFolder } from '../../support/folder.ts';
import { exits, rowcast, startRowcast, waitForStderr } from '../../support/rowcast.ts';
import { slow } from '../../support/slow.ts';
import { type StubOptions, startStub } from '../../support/stub/service.ts';

/** Parses each line of stderr, which must be JSON. */
const linesOf = ({ stderr }: { stderr: string }): Record<string, unknown>[] =>
  stderr
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line));

/** Commands with a service. */
async function bench(t: TestContext, options: StubOptions = {}) {
  const { env } = await startStub(t, options);
  return commandsIn(t, {}, env);
}

const score = 'score --report r --log-format json';

describe('with --log-format json, every line on stderr is JSON,', { concurrency: 2 }, () => {
  it('including the final error, even of an invalid command line', async t => {
    const { run, path, write } = await bench(t);
    const wrong = await exits(run('score --reprot r --log-format=json'), 2);
    assert.deepEqual(
      linesOf(wrong).map(({ code, exit_code, msg }) => [code, exit_code, msg]),
      [['usage', 2, 'unknown option: --reprot. Did you mean --report?']],
    );
    await write('in.csv', 'a,b\n1,2\n1,"2\n');
    const file = path('in.csv');
    const lines = linesOf(await exits(run(`${score} ${file}`), 3));
    const last = lines.at(-1);
    assert.deepEqual([last?.level, last?.event], ['error', 'error']);
    assert.deepEqual(
      [last?.code, last?.exit_code, last?.file, last?.line, last?.row],
      ['unclosed_quote', 3, file, 3, 2],
    );
    assert.match(String(last?.hint), /--quote none \(with --restart/);
    const [id, ...others] = [...new Set(lines.map(({ run_id }) => run_id))];
    assert.match(String(id), /^[\da-f-]{36}$/);
    assert.deepEqual(others, []);
    assert.ok(lines.every(({ input, event }) => input === file && event !== undefined));
  });

  slow('including an unexpected error and a Node warning', async () => {
    // Both happen after the log was opened.
    const preload = `process.on('newListener', name => {
      if (name !== 'warning') return;
      process.emitWarning('odd');
      setImmediate(() => { throw new Error('boom'); });
    })`;
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}` };
    const finished = await exits(rowcast(['serve', '--port', '0', '--log-format', 'json'], { env }), 70);
    const [warning, failure] = linesOf(finished);
    assert.deepEqual([warning?.level, warning?.event, warning?.msg], ['warn', 'node_warning', 'odd']);
    assert.deepEqual([failure?.level, failure?.code, failure?.exit_code], ['error', 'unexpected', 70]);
    assert.match(String(failure?.msg), /^unexpected error, please report it: Error: boom/);
  });

  it('and a reject has its line, row and code as members', async t => {
    const { run } = await bench(t);
    const finished = await exits(run(score, { stdin: 'a,b\n1,2\n1\n3,4\n' }), 1);
    const rejects = linesOf(finished).filter(({ event }) => event === 'reject');
    assert.deepEqual(
      rejects.map(({ row, line, code }) => [row, line, code]),
      [[2, 3, 'too_few_fields']],
    );
  });

  slow(
    'and lines that were scored before are reported once, with the first of them; the run continues',
    async t => {
      const { run } = await bench(t);
      const again = '{"a":2,"probability_yes":0.5}\n';
      const stdin = `{"a":1}\n${again}${again}{"a":3}\n`;
      const finished = await exits(run(`${score} - --input-format jsonl --features a`, { stdin }), 1);
      assert.equal(finished.stdout.split('\n').length, 3);
      const [warning, ...others] = linesOf(finished).filter(({ event }) => event === 'scored_before');
      assert.deepEqual(others, []);
      assert.deepEqual([warning?.level, warning?.file, warning?.line, warning?.row], ['warn', 'stdin', 2, 2]);
      assert.match(String(warning?.hint), /^Score the file/);
    },
  );

  slow(
    'and a quoted field that may have swallowed rows is reported once, with its line; the run continues',
    async t => {
      const { run } = await bench(t);
      const field = `"${'3,c\n'.repeat(120)}"`;
      const finished = await exits(run(score, { stdin: `a,b\n1,2\n2,${field}\n3,${field}\n` }), 0);
      const [warning, ...others] = linesOf(finished).filter(({ level }) => level === 'warn');
      assert.deepEqual(others, []);
      assert.equal(warning?.code, 'long_field');
      assert.deepEqual([warning?.file, warning?.line, warning?.row], ['stdin', 3, 2]);
      assert.deepEqual([warning?.field_lines, warning?.field_bytes], [121, 480]);
      assert.match(
        String(warning?.msg),
        /^stdin:3: the quoted field that opens on this line is 121 lines and 480 bytes long; .*swallowed/,
      );
      assert.match(String(warning?.hint), /--quote none/);
    },
  );
});

describe('the progress of a run', () => {
  for (const [format, says] of [
    ['text', /^rowcast: 50% {2}1 row {2}[\d,]+ rows\/s {2}about \d+ (s|min) left {2}1 in flight\n/m],
    ['json', /"event":"progress".*"percent":50.*"in_flight":1/],
  ] as const)
    it(`is logged now and then where there is no terminal, as ${format}, even while the service does not respond`, async t => {
      let release = (): void => {};
      const released = new Promise<void>(resolve => {
        release = resolve;
      });
      const { cwd, env } = await bench(t, {
        behave: async ({ number }) => {
          if (number === 2) await released;
          return false;
        },
      });
      const how = `-o /dev/null --limit 2 --batch-rows 1 --concurrency 1 --progress-interval 0.1`;
      const line = `score --report r --log-format ${format} ${how}`;
      const { child, finished } = startRowcast(line.split(' '), { cwd, env, stdin: 'a,b\n1,2\n3,4\n' });
      await waitForStderr(child, says);
      release();
      assert.equal((await finished).code, 0);
    });

  it('is not logged with --quiet, nor is anything but warnings and errors', async t => {
    const { run } = await bench(t);
    const line = 'score --report r --quiet --progress-interval 0.1';
    const { stderr } = await exits(run(line, { stdin: 'a,b\n1,2\n' }), 0);
    assert.equal(stderr, '');
  });
});

/** A script that logs this many lines at once. When stdin ends, it waits until they were read and logs one more. */
const flooding = (lines: number): string => `
  const { openLog } = await import(${JSON.stringify(new URL('../../../src/cli/terminal/log.js', import.meta.url))});
  const log = openLog('text');
  for (let line = 1; line <= ${lines}; line++) log.info('line ' + line + ' ' + 'x'.repeat(200));
  process.stdout.write('logged');
  process.stdin.on('end', async () => {
    while (process.stderr.writableLength > 0) await new Promise(done => process.stderr.once('drain', done));
    log.info('the last line');
  }).resume();`;

it('a log that nobody reads uses little memory: later lines are dropped and counted', async t => {
  const fifo = await makeFifo(join(await newFolder(t), 'stderr'));
  const reader = new Socket({
    fd: openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK),
    writable: false,
  });
  const writer = openSync(fifo, constants.O_WRONLY);
  const lines = 20_000;
  const child = spawn(process.execPath, ['--input-type=module', '-e', flooding(lines)], {
    stdio: ['pipe', 'pipe', writer],
  });
  t.after(() => child.kill('SIGKILL'));
  closeSync(writer);
  assert.ok(child.stdout && child.stdin);
  await once(child.stdout, 'data');
  child.stdin.end();
  const said = (await text(reader)).trimEnd().split('\n');
  const [, dropped] =
    /^rowcast: stderr was not read: (\d+) log lines were dropped$/.exec(said.at(-1) ?? '') ?? [];
  assert.equal(said.at(-2), 'rowcast: the last line');
  const kept = said.slice(0, -2);
  assert.equal(kept.length + Number(dropped), lines);
  assert.ok(kept.every((line, index) => line.startsWith(`rowcast: line ${index + 1} x`)));
  assert.ok(Buffer.byteLength(kept.join('\n')) < 2 << 20);
});
