import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createWhole } from '../../../../src/storage/local/atomic-write.ts';
import { takeLock, takeLocks } from '../../../../src/storage/local/locks/output-lock.ts';
import { newFolder } from '../../../support/folder.ts';

describe('a lock file without a holder, as left by a power loss', () => {
  for (const [what, text] of [
    ['empty', ''],
    ['full of zeros', '\0'.repeat(90)],
  ] as const)
    it(`is valid for a minute: ${what}`, async t => {
      const folder = await newFolder(t);
      const path = join(folder, 'out.csv.lock');
      await writeFile(path, text);
      await assert.rejects(takeLock(path, 'out.csv'), { code: 'locked', hint: new RegExp(`remove ${path}`) });
      for (const offset of [-61, 3600]) {
        const touched = Date.now() / 1000 + offset;
        await writeFile(path, text);
        await utimes(path, touched, touched);
        const lock = await takeLock(path, 'out.csv');
        assert.ok(lock.tookOver);
        await lock.release();
      }
      assert.deepEqual(await readdir(folder), []);
    });
});

it('a lock can be read by its owner only, also one that was taken over', async t => {
  const path = join(await newFolder(t), 'out.csv.lock');
  for (const isLeft of [false, true]) {
    if (isLeft) {
      await writeFile(path, '');
      await utimes(path, 1, 1);
    }
    const lock = await takeLock(path, 'out.csv');
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    await lock.release();
  }
});

describe('the lock of a dead process', () => {
  it('is still its lock if another one that was wanted too is held', async t => {
    const folder = await newFolder(t);
    const [dead, held] = [join(folder, 'a.lock'), join(folder, 'b.lock')];
    await writeFile(dead, JSON.stringify({ pid: 1, started: 'never', realm: 'nowhere', output: 'out.csv' }));
    await utimes(dead, 1, 1);
    const other = await takeLock(held, 'b');
    const names = new Map([
      [dead, 'a'],
      [held, 'b'],
    ]);
    await assert.rejects(takeLocks(names), { code: 'locked' });
    await other.release();
    const { tookOver, release } = await takeLocks(names);
    assert.deepEqual([...tookOver], [[dead, 'out.csv']]);
    await release();
    assert.deepEqual(await readdir(folder), []);
  });
});

describe('a process killed while creating a lock', () => {
  it('leaves an empty file, which the next lock removes at once', async t => {
    const folder = await newFolder(t);
    const path = join(folder, 'out.csv.lock');
    await writeFile(`${path}.new0123456789abc`, '');
    const lock = await takeLock(path, 'out.csv');
    assert.ok(!lock.tookOver);
    await lock.release();
    assert.deepEqual(await readdir(folder), []);
  });

  it('may look like one that is about to write: a file removed too early is created again', async t => {
    const folder = await newFolder(t);
    const [path, written] = [join(folder, 'out.csv.lock'), join(folder, 'out.csv.lock.new')];
    let [removed, isOver] = [0, false];
    const remove = async (): Promise<void> => {
      while (!isOver) await unlink(written).then(() => delay(5).then(() => removed++), nextTurn);
    };
    const removing = remove();
    for (let tries = 0; removed < 20 && tries < 5000; tries++) {
      assert.ok(await createWhole(path, 'whole', written));
      assert.equal(await readFile(path, 'utf8'), 'whole');
      await unlink(path);
    }
    isOver = true;
    await removing;
    assert.ok(removed > 0);
    assert.deepEqual(await readdir(folder), []);
  });
});

describe('a lock on a file system without hard links, such as FAT', () => {
  it('is taken by one process, and taken over from a dead one', async t => {
    const folder = await newFolder(t);
    const module = JSON.stringify(
      new URL('../../../../src/storage/local/locks/output-lock.js', import.meta.url),
    );
    const script = `const { takeLock } = await import(${module});
      const path = 'out.csv.lock';
      const lock = await takeLock(path, 'out.csv');
      const other = await takeLock(path, 'out.csv').catch(error => error.code);
      await lock.release();
      const { writeFileSync } = await import('node:fs');
      writeFileSync(path, JSON.stringify({ pid: 1, started: 'never', realm: 'nowhere' }));
      const { utimesSync } = await import('node:fs');
      utimesSync(path, 1, 1);
      const { tookOver, release } = await takeLock(path, 'out.csv');
      await release();
      console.log(JSON.stringify({ other, tookOver }));`;
    const refuse = '-f -qq -e trace=none -e inject=link,linkat:error=EPERM -o /dev/null'.split(' ');
    const node = [process.execPath, '--input-type=module', '-e', script];
    const run = promisify(execFile)('strace', [...refuse, ...node], { cwd: folder });
    const found = await run.catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'ENOENT' && !/ptrace|PTRACE/.test(cause.message)) throw cause;
    });
    if (found === undefined) return t.skip('strace is needed to make links fail');
    assert.deepEqual(JSON.parse(found.stdout), { other: 'locked', tookOver: true });
    assert.deepEqual(await readdir(folder), []);
  });
});
