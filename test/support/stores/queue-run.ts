import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { newFolder } from '../folder.ts';
import { bin, exits, type Finished, type Running, rowcast, spawnRowcast, startRowcast } from '../rowcast.ts';
import { trainedHome } from '../service/serving.ts';
import { bytesOf } from '../shards/sharded.ts';
import type { Store } from './store.ts';

/** A run in shards of 1 MiB through a queue, in a folder of its own. */
export interface QueueRun {
  cwd: string;
  env: Record<string, string>;
  url: string;
  /** Starts the command that plans and assembles. */
  score(...flags: string[]): Running & Pick<Worker, 'said'>;
  /** Starts a worker, which ends with the test. */
  work(...flags: string[]): Worker;
  run(...args: string[]): Promise<Finished>;
  /** Runs a printed command in a shell. @throws if it fails */
  shell(command: string): Promise<unknown>;
}

export interface Worker {
  child: Running['child'];
  /** What it has logged so far. */
  readonly said: string;
}

const options = ['--allow-missing', '--report', 'one'];

export async function queueRun(t: TestContext, { url }: Pick<Store, 'url'>, text: string): Promise<QueueRun> {
  const cwd = await newFolder(t, { 'in.csv': text });
  const env = { ROWCAST_HOME: await trainedHome() };
  const endLater = (child: Running['child']): void =>
    t.after(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    });
  return {
    cwd,
    env,
    url,
    score(...flags) {
      const args = ['score', 'in.csv', ...options, '-o', 'out.csv', '--queue', url];
      const running = startRowcast([...args, '--shard-bytes', '1MiB', ...flags], { cwd, env });
      endLater(running.child);
      return withSaid(running);
    },
    work(...flags) {
      const child = spawnRowcast(['work', '--queue', url, '--threads', '1', ...flags], { cwd, env });
      endLater(child);
      child.stdout.resume();
      return withSaid({ child });
    },
    run: (...args) => rowcast(args, { cwd, env }),
    shell: command =>
      promisify(execFile)('sh', ['-c', `rowcast() { '${process.execPath}' '${bin}' "$@"; }; ${command}`], {
        cwd,
        env: { PATH: process.env.PATH, ...env },
      }),
  };
}

/** Waits for something that happens sooner or later. */
export async function until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 120_000;
  while (!(await isTrue())) {
    assert.ok(performance.now() < end, `it did not happen: ${what}`);
    await delay(50);
  }
}

/** Scores in one process too, and compares the files. */
export async function compareOne({ cwd, run }: QueueRun): Promise<void> {
  await exits(run('score', 'in.csv', ...options, '-o', 'one.csv'), 1);
  for (const suffix of ['', '.rejects'])
    assert.deepEqual(
      await bytesOf(join(cwd, `out.csv${suffix}`)),
      await readFile(join(cwd, `one.csv${suffix}`)),
    );
}

function withSaid<P extends { child: Running['child'] }>(process: P): P & { readonly said: string } {
  let said = '';
  process.child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
  });
  return Object.defineProperty({ ...process, said }, 'said', { get: () => said });
}
