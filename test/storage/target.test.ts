import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, createReadStream, openSync } from 'node:fs';
import {
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ClosedPipe } from '../../src/base/interrupted.ts';
import { resolveTarget } from '../../src/storage/backends.ts';
import type { Sink } from '../../src/storage/target.ts';
import { makeFifo } from '../support/fifo.ts';
import { newFolder } from '../support/folder.ts';

const bytes = Buffer.from('a,b\n1,2\n');

const opened = async (output: string): Promise<Sink> => (await resolveTarget(output)).open();

describe('a file', { concurrency: true }, () => {
  it('appears only when complete: until then an existing one is unchanged', async t => {
    const folder = await newFolder(t);
    const path = join(folder, 'out.csv');
    await writeFile(path, 'former', { mode: 0o640 });
    const { mode: former } = await stat(path);
    const sink = await opened(path);
    await sink.write(bytes);
    assert.equal(await readFile(path, 'utf8'), 'former');
    await sink.write(bytes);
    assert.deepEqual((await readdir(folder)).sort(), ['out.csv', 'out.csv.partial']);
    await sink.close();
    assert.equal(await readFile(path, 'utf8'), `${bytes}${bytes}`);
    assert.deepEqual(await readdir(folder), ['out.csv']);
    assert.equal((await stat(path)).mode, former);
  });

  it('that is abandoned leaves nothing behind, and an existing one unchanged', async t => {
    const folder = await newFolder(t);
    for (const former of [undefined, 'former']) {
      const path = join(folder, 'out.csv');
      if (former !== undefined) await writeFile(path, former);
      const sink = await opened(path);
      await sink.write(bytes);
      await sink.abandon();
      assert.deepEqual(await readdir(folder), former === undefined ? [] : ['out.csv']);
      if (former !== undefined) assert.equal(await readFile(path, 'utf8'), former);
    }
  });

  it('that another program has cut while it was written does not appear', async t => {
    for (const name of ['out.csv', 'out.csv.gz']) {
      const path = join(await newFolder(t), name);
      const partial = `${path}.partial`;
      const sink = await opened(path);
      // Members of a gzip file are compressed in the background.
      while ((await stat(partial)).size < 100) {
        await sink.write(randomBytes(1 << 20));
        await turn();
      }
      await truncate(partial, 10);
      await sink.write(randomBytes(1 << 20));
      await assert.rejects(sink.close(), {
        code: 'output_lost',
        severity: 'stopped',
        location: { file: partial },
      });
      await sink.abandon();
      await assert.rejects(stat(path), { code: 'ENOENT' });
    }
  });

  it('is written to the target of symbolic links, existing or not, and the links stay', async t => {
    const folder = await newFolder(t);
    await mkdir(join(folder, 'far'));
    await symlink('far/first.csv', join(folder, 'out.csv'));
    await symlink('second.csv', join(folder, 'far', 'first.csv'));
    for (const _ of ['not there', 'there']) {
      const sink = await opened(join(folder, 'out.csv'));
      await sink.write(bytes);
      assert.ok((await readdir(join(folder, 'far'))).includes('second.csv.partial'));
      await sink.close();
      assert.equal(await readFile(join(folder, 'far', 'second.csv'), 'utf8'), String(bytes));
    }
    assert.equal(await readlink(join(folder, 'out.csv')), 'far/first.csv');
    assert.ok((await lstat(join(folder, 'far', 'first.csv'))).isSymbolicLink());
    assert.equal((await lstat(join(folder, 'far', 'second.csv'))).isFile(), true);
  });

  it('is written to the target of a link in a linked folder', async t => {
    const folder = await realpath(await newFolder(t));
    await mkdir(join(folder, 'real', 'deep'), { recursive: true });
    await symlink('real/deep', join(folder, 'near'));
    await symlink('../out.csv', join(folder, 'real', 'deep', 'link.csv'));
    const sink = await opened(join(folder, 'near', 'link.csv'));
    await sink.write(bytes);
    await sink.close();
    assert.equal(await readFile(join(folder, 'real', 'out.csv'), 'utf8'), String(bytes));
    assert.deepEqual((await readdir(folder)).sort(), ['near', 'real']);
  });

  it('that cannot be written is refused: a folder, a missing folder, circular links', async t => {
    const folder = await newFolder(t);
    await symlink('b', join(folder, 'a'));
    await symlink('a', join(folder, 'b'));
    for (const path of [folder, join(folder, 'none', 'out.csv'), join(folder, 'a')])
      await assert.rejects(opened(path), {
        code: 'unwritable_output',
        severity: 'refused',
        location: { file: path },
      });
  });
});

describe('a pipe or a device', () => {
  it('is written directly, through a link too', async t => {
    const folder = await newFolder(t);
    const pipe = await makeFifo(join(folder, 'pipe'));
    await symlink('pipe', join(folder, 'link'));
    for (const path of [pipe, join(folder, 'link')]) {
      const reader = text(createReadStream(pipe));
      const sink = await opened(path);
      for (let part = 0; part < 100; part++) await sink.write(Buffer.alloc(10_000, 'x'));
      await sink.close();
      assert.equal((await reader).length, 1_000_000);
    }
    assert.deepEqual((await readdir(folder)).sort(), ['link', 'pipe']);
    assert.ok((await lstat(pipe)).isFIFO());
  });

  it('may be a descriptor opened by the shell, as in -o >(gzip) and -o /dev/stdout', async t => {
    const pipe = await makeFifo(join(await newFolder(t), 'pipe'));
    const stream = createReadStream(pipe);
    const reader = text(stream);
    const fd = openSync(pipe, 'r+'); // which does not wait for a reader
    // The reader would wait forever for a writer that comes after this one.
    await once(stream, 'open');
    const sink = await opened(`/dev/fd/${fd}`);
    await sink.write(bytes);
    await sink.close();
    closeSync(fd);
    assert.equal(await reader, String(bytes));
  });

  it('whose reader has closed it reports that, and can then be abandoned', async t => {
    const pipe = await makeFifo(join(await newFolder(t), 'pipe'));
    const reader = spawn('head', ['-n', '1', pipe], { stdio: 'ignore' });
    const sink = await opened(pipe);
    await sink.write(bytes);
    await once(reader, 'close');
    await assert.rejects(sink.write(bytes), ClosedPipe);
    for (let turns = 0; turns < 5; turns++) await turn(); // the pipe closes meanwhile
    await sink.abandon();
  });

  it('that is full reports that', async () => {
    const sink = await opened('/dev/full');
    await assert.rejects(sink.write(bytes), {
      code: 'disk_full',
      severity: 'temporary',
      message: /ENOSPC/,
    });
    await sink.abandon();
  });
});

describe('a partial file', () => {
  it('that cannot be created is refused before anything is read', async t => {
    const folder = await newFolder(t);
    await mkdir(join(folder, 'out.csv.partial'));
    await assert.rejects(opened(join(folder, 'out.csv')), { code: 'unwritable_output' });
  });
});
