import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { constants } from 'node:os';
import { describe, it, type TestContext } from 'node:test';
import { commandsIn } from '../support/cli/commands.ts';
import { listen } from '../support/listen.ts';
import { exits } from '../support/rowcast.ts';
import { csv } from '../support/scoring/files.ts';
import { startStub } from '../support/stub/service.ts';

const HALF = 4 << 10;

/** What a server of files does with requests that would keep a run waiting for minutes. */
const waits = {
  'is unavailable': (_: number, respond: Respond) => respond(503, {}),
  'does not respond': () => {},
  'stops in the middle of a file': (count: number, respond: Respond) =>
    respond(206, {
      etag: '"1"',
      'content-range': `bytes 0-${count === 1 ? 0 : 2 * HALF - 1}/${2 * HALF}`,
      'content-length': String(count === 1 ? 1 : 2 * HALF),
    }),
} as const;
type Respond = (status: number, headers: Record<string, string>) => void;

/** A folder with in.csv, and a server of files that keeps a run waiting. */
async function bench(t: TestContext, wait: keyof typeof waits) {
  const { env } = await startStub(t);
  const commands = await commandsIn(t, { 'in.csv': csv(40) }, env);
  const body = csv(4000).slice(0, HALF);
  let count = 0;
  const server = createServer((_, response) => {
    count++;
    waits[wait](count, (status, headers) => {
      response.writeHead(status, headers);
      if (status !== 206) response.end();
      else response.write(count === 1 ? body[0] : body);
    });
    if (wait !== 'stops in the middle of a file' || count === 2) server.emit('waiting');
  });
  const url = await listen(t, server);
  const isWaiting = once(server, 'waiting');
  /** How a command ends that gets a signal when it waits for the server. */
  const stopped = async (line: string, by: NodeJS.Signals): Promise<void> => {
    const { child, finished } = commands.start(line);
    await Promise.race([isWaiting, finished]);
    child.kill(by);
    const { code, signal, stderr } = await finished;
    assert.ok(code === 128 + constants.signals[by] || signal === by, `${code} ${signal}: ${stderr}`);
  };
  return { ...commands, url: `${url}/other.csv`, stopped };
}

const run = '--report r -o out.csv --summary s.json';
const many = '--report r -o {name}.out --summary s.json';
const commands: Readonly<Record<string, string>> = {
  'a run': `score URL ${run}`,
  'a run that is compared with a summary': `score in.csv ${run} --compare URL`,
  'a run of several files': `score in.csv URL ${many}`,
  'several files that are compared with a summary': `score in.csv in.csv ${many} --compare URL`,
  'a run in shards': `score URL ${run} --workers 1`,
};

describe('a signal ends at once', { concurrency: 2 }, () => {
  for (const [name, line] of Object.entries(commands))
    for (const wait of (name === 'a run' ? Object.keys(waits) : ['is unavailable']) as (keyof typeof waits)[])
      it(`${name} that waits because a server of files ${wait}`, async t => {
        const { url, stopped, jsonIn } = await bench(t, wait);
        await stopped(line.replace('URL', url), 'SIGTERM');
        if (name === 'a run in shards') return;
        const { status, exit_code } = await jsonIn('s.json');
        assert.deepEqual([status, exit_code], ['stopped', 143]);
      });

  for (const [command, more] of Object.entries({
    plan: '--report r --max-outage 5m',
    train: '--predict y --report r',
    verify: 'in.csv',
  }))
    it(`${command} that waits for an input`, async t => {
      const { url, stopped } = await bench(t, 'is unavailable');
      await stopped(`${command} ${url} ${more}`, 'SIGINT');
    });
});

describe('an input at a host that does not exist', () => {
  for (const [name, line] of Object.entries({
    'a run': `score http://rowcast.invalid/in.csv ${run}`,
    'several files': `score in.csv http://rowcast.invalid/other.csv ${many}`,
    'a store': `score s3://bucket/in.csv ${run} --store-options endpoint=http://rowcast.invalid`,
  }))
    it(`is named at once: ${name}`, async t => {
      const { run } = await bench(t, 'is unavailable');
      await exits(
        run(line, { env: { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' } }),
        name === 'several files' ? 3 : 2,
        /unknown host .*rowcast\.invalid \(ENOTFOUND\) \[no_such_host\]/,
      );
    });
});
