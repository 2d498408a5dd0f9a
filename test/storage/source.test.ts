import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openSource } from '../../src/storage/backends.ts';
import type { Source } from '../../src/storage/source.ts';
import { contentOf } from '../support/content-of.ts';
import { makeFifo } from '../support/fifo.ts';
import { newFolder } from '../support/folder.ts';
import { root } from '../support/root.ts';

/** The next chunk that is not empty. */
async function readNext({ chunks }: Source): Promise<string> {
  for (;;) {
    const { value, done } = await chunks.next();
    if (done || value.length > 0) return String(value);
  }
}

describe('a source', { concurrency: true }, () => {
  it('returns the bytes of a pipe as they arrive, and reports when it is idle', async t => {
    const path = await makeFifo(join(await newFolder(t), 'pipe'));
    const writer = createWriteStream(path);
    const source = await openSource(path);
    assert.deepEqual([source.version.size, source.isLive], [null, true]);
    writer.write('a,b\n');
    assert.equal(await readNext(source), 'a,b\n');
    const idle = await source.chunks.next();
    assert.deepEqual([idle.done, idle.value?.length], [false, 0]);
    writer.write('1,2\n');
    assert.equal(await readNext(source), '1,2\n');
    writer.end('3,4\n');
    assert.equal((await contentOf(source)).toString(), '3,4\n');
  });

  it('that is missing, a folder or unreadable is refused with its name', async t => {
    const folder = await newFolder(t);
    await mkdir(join(folder, 'sub'));
    await assert.rejects(openSource(join(folder, 'none.csv')), {
      code: 'no_such_file',
      severity: 'refused',
      location: { file: join(folder, 'none.csv') },
    });
    await assert.rejects(openSource(join(folder, 'sub')), { code: 'unreadable_input', hint: /Give a file/ });
    await writeFile(join(folder, 'file'), '');
    await assert.rejects(openSource(join(folder, 'file', 'in.csv')), { code: 'unreadable_input' });
  });

  it('of gzip skips zero padding before the next member or the end', async t => {
    const path = join(await newFolder(t), 'in.csv.gz');
    const text = '0123456789\n'.repeat(50_000);
    const member = gzipSync(text, { level: 0 }); // many chunks
    // The padding shares a chunk with the bytes before and after it, fills a chunk, or ends with one.
    for (const padding of [1, 300_000, (64 << 10) - (member.length % (64 << 10))])
      for (const parts of [
        [member, Buffer.alloc(padding), member, gzipSync('last')],
        [member, Buffer.alloc(padding)],
      ]) {
        await writeFile(path, Buffer.concat(parts));
        const expected = parts.length === 2 ? text : `${text}${text}last`;
        assert.ok(
          (await contentOf(await openSource(path))).equals(Buffer.from(expected)),
          `${padding} bytes of padding`,
        );
      }
  });

  it('of gzip is refused if anything else follows a member', async t => {
    const path = join(await newFolder(t), 'in.csv.gz');
    const member = gzipSync('a\n1\n');
    for (const rest of ['x', '\0x', '\0\x1f\x8b', '\x1f'])
      for (const split of [false, true]) {
        await writeFile(
          path,
          Buffer.concat([
            member,
            Buffer.from(split ? '\0'.repeat(1 << 16) : ''),
            Buffer.from(rest, 'latin1'),
          ]),
        );
        const source = await openSource(path);
        await assert.rejects(
          contentOf(source),
          { code: 'bad_gzip', severity: 'stopped' },
          JSON.stringify(rest),
        );
      }
  });

  it('lets the process end after it was closed, even while a pipe is idle', async t => {
    const path = await makeFifo(join(await newFolder(t), 'pipe'));
    const writer = createWriteStream(path);
    t.after(() => writer.destroy());
    const code = `
      const { openSource } = await import('./dist/src/storage/backends.js');
      const source = await openSource(${JSON.stringify(path)});
      console.log(String((await source.chunks.next()).value));
      await source.chunks.next();
      source.close();`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: 10_000,
    });
    writer.write('a,b\n');
    const [exit, signal] = await once(child, 'close');
    assert.deepEqual([exit, signal], [0, null], 'the process had to be killed');
  });
});
