import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it, type TestContext } from 'node:test';
import { isAlive } from '../../src/storage/local/locks/lock-holder.ts';
import { type Lock, takeLock } from '../../src/storage/local/locks/output-lock.ts';
import { newFolder } from '../support/folder.ts';
import { exits, rowcast, startRowcast } from '../support/rowcast.ts';
import { startStub } from '../support/stub/service.ts';

/** A program that is killed when it has taken a lock. */
function killedWith(path: string): string {
  const module = JSON.stringify(new URL('../../src/storage/local/locks/output-lock.js', import.meta.url));
  return `const { takeLock } = await import(${module});
    await takeLock(${JSON.stringify(path)}, 'out.csv'); process.kill(process.pid, 'SIGKILL');`;
}

/** The text of a lock whose holder was killed. */
async function staleLock(folder: string): Promise<string> {
  const path = join(folder, 'stale');
  const script = ['--input-type=module', '-e', killedWith(path)];
  const child = spawn(process.execPath, script, { stdio: 'inherit' });
  assert.deepEqual(await once(child, 'exit'), [null, 'SIGKILL']);
  return readFile(path, 'utf8');
}

/** Takes a lock; undefined if another process has it. */
const tryLock = (path: string): Promise<Lock | undefined> =>
  takeLock(path, 'out.csv').catch(error => {
    assert.equal(error.code, 'locked', error);
    return undefined;
  });

/** A command with a lock whose service never responds. */
async function stuckRun(t: TestContext) {
  const folder = await newFolder(t, { 'in.csv': 'id\n1\n' });
  let onCall = (): void => {};
  const called = new Promise<void>(resolve => {
    onCall = resolve;
  });
  let isStuck = true;
  const stub = await startStub(t, {
    behave() {
      onCall();
      return isStuck;
    },
  });
  const args = ['score', 'in.csv', '--report', 'r', '-o', 'out.csv', '--url', stub.url];
  const options = { cwd: folder, env: { ROWCAST_API_KEY: stub.key } };
  const { child, finished } = startRowcast(args, options);
  t.after(async () => {
    child.kill('SIGKILL');
    await finished;
  });
  await called;
  isStuck = false;
  return { child, folder, run: () => rowcast(args, options) };
}

describe('the lock of an output', () => {
  it('left behind by a kill is taken over at once', async t => {
    const { child, folder, run } = await stuckRun(t);
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.ok(existsSync(join(folder, 'out.csv.lock')));
    await exits(run(), 0);
    assert.deepEqual((await readdir(folder)).sort(), ['in.csv', 'out.csv']);
  });

  it('is taken over from a killed process that its parent never reaped', async t => {
    const folder = await newFolder(t);
    const path = join(folder, 'lock');
    // The shell starts it, then becomes a program that does not know of its child.
    const parent = spawn('bash', [
      ...['-c', '"$0" --input-type=module -e "$1" & echo $!; exec tail -f /dev/null'],
      ...[process.execPath, killedWith(path)],
    ]);
    t.after(() => parent.kill());
    const [pid] = await once(createInterface({ input: parent.stdout }), 'line');
    await untilZombie(pid);
    const lock = await tryLock(path);
    assert.ok(lock, 'it is held by a zombie');
    await lock.release();
  });

  it('is taken over by exactly one of several contenders', async t => {
    const folder = await newFolder(t);
    const stale = await staleLock(folder);
    for (let round = 0; round < 50; round++) {
      const own = join(folder, String(round));
      await mkdir(own);
      const path = join(own, 'lock');
      await writeFile(path, stale);
      const locks = await Promise.all(Array.from({ length: 2 + (round % 3) }, () => tryLock(path)));
      const [lock, ...others] = locks.filter(lock => lock !== undefined);
      assert.deepEqual(others, [], `round ${round}`);
      // Otherwise its run would refuse the files that the dead process left.
      assert.ok(lock?.tookOver, `round ${round}`);
      await lock.release();
      assert.deepEqual(await readdir(own), []);
    }
  });

  it('is taken over by exactly one of two commands', async t => {
    const { child, folder, run } = await stuckRun(t);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const runs = await Promise.all([run(), run()]);
    // The second one may start after the first one has ended.
    for (const { code, stderr } of runs)
      assert.ok(code === 0 || (code === 75 && /\[locked\]/.test(stderr)), stderr);
    assert.ok(runs.some(({ code }) => code === 0));
    assert.deepEqual((await readdir(folder)).sort(), ['in.csv', 'out.csv']);
  });

  it('is cleaned of files left by processes killed while taking it', async t => {
    const folder = await newFolder(t);
    const stale = await staleLock(folder);
    const path = join(folder, 'lock');
    await writeFile(`${path}.0123456789abcdef`, stale);
    const lock = await takeLock(path, 'out.csv');
    await lock.release();
    assert.deepEqual(await readdir(folder), ['stale']);
  });

  it('of a process that cannot be inspected is valid as long as it is touched', () => {
    const here = { pid: 7, started: '100', realm: 'here' };
    const none = (): undefined => undefined;
    assert.ok(isAlive({ ...here, realm: 'there' }, here, 59_000, none));
    assert.ok(!isAlive({ ...here, realm: 'there' }, here, 61_000, none));
    assert.ok(!isAlive(here, here, 0, none));
    assert.ok(!isAlive(here, here, 0, () => '101'), 'the pid is reused');
    assert.ok(isAlive(here, here, 1e9, () => '100'));
  });
});

async function untilZombie(pid: string): Promise<void> {
  while (!/\) Z /.test(await readFile(`/proc/${pid}/stat`, 'utf8'))) await new Promise(setImmediate);
}
