import assert from 'node:assert/strict';
import { execFile, type SpawnOptionsWithoutStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  chmod,
  chown,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { newFolder } from '../../support/folder.ts';
import { exits, rowcast } from '../../support/in-process.ts';
import { bin, type Finished, rowcast as rowcastProcess } from '../../support/rowcast.ts';
import { startStub } from '../../support/stub/service.ts';
import { rowsOf } from '../variants.ts';

const sh = promisify(execFile);
const ROWS = 6000;

/** An input of 3 MB, and its expected output. */
async function bench(t: TestContext) {
  const folder = await newFolder(t, { 'in.csv': rowsOf({}, ROWS) });
  let due: { path: string; act: () => Promise<unknown> } | undefined;
  const stub = await startStub(t, {
    report: { classes: ['no', 'yes'] },
    async behave({ number }) {
      if (due === undefined || number < 10) return false;
      const { path, act } = due;
      due = undefined;
      while (!existsSync(path)) await setImmediate();
      await act();
      return false;
    },
  });
  const args = ['score', join(folder, 'in.csv'), '--report', 'r', '--url', stub.url, '--features', 'id'];
  args.push('--batch-rows', '200', '--checkpoint-interval', '0', '--concurrency', '1');
  const env = { ROWCAST_API_KEY: stub.key };
  const whole = join(folder, 'whole.csv');
  await exits(rowcast([...args, '-o', whole], { env }), 0);
  const wanted = await readFile(whole);
  await rm(whole);
  stub.bodies.length = 0;
  /** Acts in the middle of the run, once a file of the run exists. */
  const afterMaking = (path: string, act: () => Promise<unknown>): void => {
    due = { path, act };
  };
  return { folder, env, args, wanted, afterMaking };
}

const tooLarge = /cannot write the output: .*\(EFBIG\)/;

/** Runs the command with a limit on file sizes in kilobytes; exceeding it is a failed write for Node, EFBIG. */
async function runLimited(
  words: readonly string[],
  kilobytes: number | 'unlimited',
  options: SpawnOptionsWithoutStdio,
): Promise<Pick<Finished, 'code' | 'stderr'>> {
  const script = ['-c', `ulimit -f ${kilobytes}; exec "$0" "$@"`, process.execPath, bin, ...words];
  const child = spawn('bash', script, { ...options, env: { PATH: process.env.PATH, ...options.env } });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', chunk => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, stderr };
}

// A run that cannot remove its lock has a process of its own: the lock is valid as long as its process lives.
describe('a run whose disk', { concurrency: 2 }, () => {
  it('is full stops with exit code 75, and resumes to the same bytes once there is space', async t => {
    const { folder, args, env, wanted } = await bench(t);
    const disk = join(folder, 'disk');
    await mkdir(disk);
    try {
      await sh('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk]);
    } catch {
      return t.skip('mounting a file system needs root'); // the size limit below tests nearly the same
    }
    try {
      const command = [...args, '-o', join(disk, 'out.csv')];
      await exits(rowcast(command, { env }), 75, /cannot write the output: .*\(ENOSPC\) \[disk_full\]/);
      assert.ok((await readdir(disk)).includes('out.csv.checkpoint'));
      await sh('mount', ['-o', 'remount,size=16m', disk]);
      await exits(rowcast(command, { env }), 0, /resuming at row/);
      assert.deepEqual(await readFile(join(disk, 'out.csv')), wanted);
      assert.deepEqual(await readdir(disk), ['out.csv']);
    } finally {
      await sh('umount', [disk]);
    }
  });

  for (const name of ['out.csv', 'out.csv.gz'])
    it(`does not accept a longer file stops with exit code 3, and resumes once it does (${name})`, async t => {
      const { folder, args, env } = await bench(t);
      const command = [...args, '-o', join(folder, name)];
      await rowcast(command, { env });
      const wanted = await readFile(join(folder, name));
      await rm(join(folder, name));
      const kilobytes = Math.floor(wanted.length / 1024 / 1.5);
      const says = /checkpoint saved at row [\d,]+; to resume, run:/;
      await exits(runLimited(command, kilobytes, { env }), 3, tooLarge, says);
      await exits(rowcast(command, { env }), 0, /resuming at row/);
      assert.deepEqual(await readFile(join(folder, name)), wanted);
      assert.deepEqual((await readdir(folder)).sort(), ['in.csv', name]);
    });

  it('has lost the folder stops with exit code 3, and resumes if the folder comes back', async t => {
    const { folder, args, env, wanted, afterMaking } = await bench(t);
    const [there, away] = [join(folder, 'there'), join(folder, 'away')];
    await mkdir(there);
    const command = [...args, '-o', join(there, 'out.csv')];
    afterMaking(join(there, 'out.csv.checkpoint'), () => rename(there, away));
    // A checkpoint is saved in two steps: its files are looked for, then it is replaced. The folder may go before
    // either.
    await exits(
      rowcastProcess(command, { env }),
      3,
      /out\.csv\.partial: the file is gone|cannot write the output: .*\(ENOENT\)/,
    );
    await rename(away, there);
    await exits(rowcast(command, { env }), 0, /resuming at row/);
    assert.deepEqual(await readFile(join(there, 'out.csv')), wanted);
    assert.deepEqual(await readdir(there), ['out.csv']);
  });

  it('has lost the partial file does not report success', async t => {
    const { folder, args, env, afterMaking } = await bench(t);
    const command = [...args, '-o', join(folder, 'out.csv')];
    const partial = join(folder, 'out.csv.partial');
    // Without a checkpoint, the next run would begin with the first row.
    afterMaking(join(folder, 'out.csv.checkpoint'), () => unlink(partial));
    await exits(
      rowcast(command, { env }),
      3,
      /out\.csv\.partial: the file is gone; [\d,]+ bytes had been written to it/,
    );
    await exits(rowcast(command, { env }), 2, /use --restart/);
  });

  it('turns read-only stops with exit code 3, and resumes once it is writable', async t => {
    const { folder, args, env, wanted, afterMaking } = await bench(t);
    const there = join(folder, 'there');
    await mkdir(there);
    const protect = (flag: '+i' | '-i'): Promise<unknown> => sh('chattr', [flag, there]);
    try {
      await protect('+i');
      await protect('-i');
    } catch {
      return t.skip('chattr +i needs root and a file system that supports it');
    }
    const command = [...args, '-o', join(there, 'out.csv')];
    afterMaking(join(there, 'out.csv.checkpoint'), () => protect('+i'));
    try {
      await exits(rowcastProcess(command, { env }), 3, /cannot write the output: .*\((EPERM|EACCES)\)/);
      await exits(rowcast(command, { env }), 2, /cannot write the output/);
    } finally {
      await protect('-i');
    }
    await exits(rowcast(command, { env }), 0, /resuming at row/);
    assert.deepEqual(await readFile(join(there, 'out.csv')), wanted);
    assert.deepEqual(await readdir(there), ['out.csv']);
  });
});

describe('a user who is not root', () => {
  const NOBODY = 65534;

  /** Runs a command as the user nobody; undefined if that user cannot read the package. */
  async function asNobody(t: TestContext, { folder, env }: Awaited<ReturnType<typeof bench>>) {
    const isRoot = process.getuid?.() === 0;
    const options = { env, cwd: '/', ...(isRoot && { uid: NOBODY, gid: NOBODY }) };
    if (isRoot) for (const path of [folder, join(folder, 'in.csv')]) await chown(path, NOBODY, NOBODY);
    const run = (words: string[], kilobytes: number | 'unlimited' = 'unlimited') =>
      runLimited(words, kilobytes, options);
    if ((await run(['--version'])).code === 0) return run;
    t.skip('nobody cannot read the package here');
    return undefined;
  }

  it('can resume although the file that it replaces, and therefore the output, is read-only', async t => {
    const here = await bench(t);
    const { folder, args, wanted } = here;
    const run = await asNobody(t, here);
    if (run === undefined) return;
    const output = join(folder, 'out.csv');
    await writeFile(output, '', { mode: 0o400 });
    if (process.getuid?.() === 0) await chown(output, NOBODY, NOBODY);
    await exits(run([...args, '-o', output], 1000), 3, tooLarge);
    assert.equal((await stat(`${output}.partial`)).mode & 0o777, 0o400);
    await exits(run([...args, '-o', output]), 0, /resuming at row/);
    assert.deepEqual(await readFile(output), wanted);
    assert.equal((await stat(output)).mode & 0o777, 0o400);
  });

  it('gets an error if the input is not readable', async t => {
    const here = await bench(t);
    const run = await asNobody(t, here);
    if (run === undefined) return;
    await chmod(join(here.folder, 'in.csv'), 0);
    const says = /in\.csv: cannot read the input: permission denied \(EACCES\)/;
    await exits(run([...here.args, '-o', join(here.folder, 'out.csv')]), 2, says);
  });
});
