import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { newFolder } from '../support/folder.ts';
import { rowcast } from '../support/in-process.ts';
import { listen } from '../support/listen.ts';
import { startRowcast } from '../support/rowcast.ts';
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

interface Bench {
  folder: string;
  env: Record<string, string>;
  url: string;
  /** Resolves when the run waits for the server. */
  isWaiting: Promise<unknown>;
}

/** A folder with in.csv, and a server of files that keeps a run waiting. */
async function bench(t: TestContext, wait: keyof typeof waits): Promise<Bench> {
  const stub = await startStub(t);
  const folder = await newFolder(t);
  for (const name of ['in.csv', 'two.csv']) await writeFile(join(folder, name), csv(40));
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
  return {
    folder,
    env: stub.env,
    url: `${url}/other.csv`,
    isWaiting: once(server, 'waiting'),
  };
}

const run = ['--report', 'r', '-o', 'out.csv', '--summary', 's.json'];
const many = ['--report', 'r', '-o', '{name}.out', '--summary', 's.json'];
const commands: Readonly<Record<string, (url: string) => string[]>> = {
  'a run': url => ['score', url, ...run],
  'a run that is compared with a summary': url => ['score', 'in.csv', ...run, '--compare', url],
  'a run of several files': url => ['score', 'in.csv', url, ...many],
  'several files that are compared with a summary': url => [
    'score',
    'in.csv',
    'in.csv',
    ...many,
    '--compare',
    url,
  ],
  'a run in shards': url => ['score', url, ...run, '--workers', '1'],
};

describe('a signal ends at once', { concurrency: 2 }, () => {
  for (const [name, commandOf] of Object.entries(commands))
    for (const wait of (name === 'a run' ? Object.keys(waits) : ['is unavailable']) as (keyof typeof waits)[])
      it(`${name} that waits because a server of files ${wait}`, async t => {
        const { folder, env, url, isWaiting } = await bench(t, wait);
        const { child, finished } = startRowcast(commandOf(url), { cwd: folder, env });
        await Promise.race([isWaiting, finished]);
        child.kill('SIGTERM');
        const { code, signal, stderr } = await finished;
        assert.ok(code === 143 || signal === 'SIGTERM', `${code} ${signal}: ${stderr}`);
        if (name === 'a run in shards') return;
        const { status, exit_code } = JSON.parse(await readFile(join(folder, 's.json'), 'utf8'));
        assert.deepEqual([status, exit_code], ['stopped', 143]);
      });

  for (const command of ['plan', 'train', 'verify'])
    it(`${command} that waits for an input`, async t => {
      const { folder, env, url, isWaiting } = await bench(t, 'is unavailable');
      const words = {
        plan: ['plan', url, '--report', 'r', '--max-outage', '5m'],
        train: ['train', url, '--predict', 'y', '--report', 'r'],
        verify: ['verify', url, 'in.csv'],
      }[command] as string[];
      const { child, finished } = startRowcast(words, { cwd: folder, env });
      await Promise.race([isWaiting, finished]);
      child.kill('SIGINT');
      const { code, signal, stderr } = await finished;
      assert.ok(code === 130 || signal === 'SIGINT', `${code} ${signal}: ${stderr}`);
    });
});

describe('an input at a host that does not exist', () => {
  for (const [name, words] of Object.entries({
    'a run': ['score', 'http://rowcast.invalid/in.csv', ...run],
    'several files': ['score', 'in.csv', 'http://rowcast.invalid/other.csv', ...many],
    'a store': ['score', 's3://bucket/in.csv', ...run, '--store-options', 'endpoint=http://rowcast.invalid'],
  }))
    it(`is named at once: ${name}`, async t => {
      const { folder, env } = await bench(t, 'is unavailable');
      const keys = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
      const { code, stderr } = await rowcast(words, { cwd: folder, env: { ...env, ...keys } });
      assert.equal(code, name === 'several files' ? 3 : 2, stderr);
      assert.match(stderr, /unknown host .*rowcast\.invalid \(ENOTFOUND\) \[no_such_host\]/);
    });
});
