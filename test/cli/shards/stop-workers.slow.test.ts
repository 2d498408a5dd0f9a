import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { newFolder } from '../../support/folder.ts';
import { bin } from '../../support/rowcast.ts';
import { trainedHome } from '../../support/service/serving.ts';
import { hardCsv } from '../../support/shards/hard-csv.ts';
import { until } from '../../support/stores/queue-run.ts';

/** Starts a slow run with a worker in a process group of its own, and waits until a shard is in progress. */
async function startRun(t: TestContext) {
  const cwd = await newFolder(t, { 'in.csv': hardCsv(1_200_000) });
  const score = ['score', 'in.csv', '--allow-missing', '--report', 'one', '-o', 'out.csv', '--workers', '1'];
  const slow = ['--shard-bytes', '1MiB', '--max-rows-per-second', '500', '--batch-rows', '100'];
  const child = spawn(process.execPath, [bin, ...score, ...slow], {
    cwd,
    env: { PATH: process.env.PATH, ROWCAST_HOME: await trainedHome() },
    detached: true,
    stdio: 'ignore',
  });
  const { pid } = child;
  assert.ok(pid);
  t.after(() => {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  });
  const beat = async () => {
    const text = await readFile(join(cwd, 'out.csv.shards/beats/000000.1.json'), 'utf8').catch(() => '{}');
    return JSON.parse(text) as { state?: string };
  };
  await until('a shard is in progress', async () => (await beat()).state === 'running');
  return { child, pid, beat };
}

describe('a command with workers gives back their shards', () => {
  it('when a signal comes to all processes, as Ctrl-C does', async t => {
    const { child, pid, beat } = await startRun(t);
    process.kill(-pid, 'SIGINT');
    await once(child, 'exit');
    assert.equal((await beat()).state, 'ended');
  });

  it('when a signal comes to the command only, and when it is killed', async t => {
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const { child, beat } = await startRun(t);
      child.kill(signal);
      await once(child, 'exit');
      await until('its shard is given back', async () => (await beat()).state === 'ended');
    }
  });
});
