import assert from 'node:assert/strict';
import { readdir, readlink } from 'node:fs/promises';
import { test } from 'node:test';
import { type SpoolOptions, spooled } from '../../../src/server/batch-predict/spool.ts';
import { newFolder } from '../../support/folder.ts';
import { until } from '../../support/until.ts';

const PART = 300_000;
/** Each part is filled with its number, so that a lost or moved part is noticed. */
const part = (number: number): Buffer => Buffer.alloc(PART, number % 251);

/** A source of `number` parts that counts how many were read. */
function source(count: number) {
  const made = { taken: 0, isClosed: false };
  async function* parts(): AsyncGenerator<Buffer> {
    try {
      for (let number = 0; number < count; number++) {
        yield part(number);
        made.taken = number + 1;
      }
    } finally {
      made.isClosed = true;
    }
  }
  return { made, parts: parts() };
}

const options = (folder: string, more: Partial<SpoolOptions> = {}): SpoolOptions => ({
  folder,
  spillBytes: 1 << 30,
  space: { take() {}, release() {} },
  spillMs: 1,
  onFull: () => {},
  onFailure: () => {},
  ...more,
});

async function bytesOf(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

const whole = (count: number): Buffer => Buffer.concat(Array.from({ length: count }, (_, i) => part(i)));

/** Deleted files that this process still holds open, according to the kernel. */
async function spillFiles(): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd');
  const targets = await Promise.all(descriptors.map(fd => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return targets.filter(target => /\/\.spill-[0-9a-f]+ \(deleted\)$/.test(target));
}

const isLinux = process.platform === 'linux';

test('a source is buffered to its end even if nobody reads, and is returned completely', async t => {
  const folder = await newFolder(t);
  const { made, parts } = source(100);
  const chunks = spooled(parts, options(folder));
  const first = await chunks.next();
  await until(() => made.isClosed);
  if (isLinux) assert.equal((await spillFiles()).length, 1);
  assert.deepEqual(await readdir(folder), []);
  const rest = await bytesOf(chunks);
  assert.ok(Buffer.concat([first.value ?? Buffer.alloc(0), rest]).equals(whole(100)));
  if (isLinux) assert.deepEqual(await spillFiles(), []);
});

test('a reader that keeps up needs no file', async t => {
  const { parts } = source(100);
  const chunks = spooled(parts, options('/does/not/exist', { spillMs: 60_000 }));
  assert.ok((await bytesOf(chunks)).equals(whole(100)));
  assert.deepEqual(await readdir(await newFolder(t)), []);
});

test('the file is bounded, and reading frees space in it', async t => {
  const folder = await newFolder(t);
  const { made, parts } = source(100);
  let full = 0;
  const spillBytes = 1_000_001;
  const chunks = spooled(parts, options(folder, { spillBytes, onFull: () => full++ }));
  const read: Buffer[] = [];
  const next = async (): Promise<void> => {
    const { value } = await chunks.next();
    if (value) read.push(value);
  };
  await next();
  await until(() => full === 1);
  const held = made.taken;
  assert.ok(held < 15, `${held} parts of 300 kB are in 2 MiB and a file of 1 MB`);
  while (made.taken < 30) await next();
  read.push(await bytesOf(chunks));
  assert.ok(Buffer.concat(read).equals(whole(100)));
  assert.equal(full, 1);
});

test('a reader that stops now and then gets all bytes in order, from a file that begins anew when it was read', async t => {
  let taken = 0;
  const space = {
    take(bytes: number) {
      taken += bytes;
    },
    release() {},
  };
  const chunks = spooled(source(200).parts, options(await newFolder(t), { space, spillBytes: 4 << 20 }));
  const read: Buffer[] = [];
  for await (const chunk of chunks) {
    read.push(chunk);
    if (read.length % 20 === 0) await new Promise(done => setTimeout(done, 30));
  }
  assert.ok(Buffer.concat(read).equals(whole(200)));
  assert.ok(taken > 0 && taken <= 4 << 20, `${taken} bytes`);
});

test('a response that exceeds its share of the disk fails', async t => {
  const space = {
    take() {
      throw new Error('no disk space is available');
    },
    release() {},
  };
  const chunks = spooled(source(100).parts, options(await newFolder(t), { space }));
  await chunks.next();
  await assert.rejects(bytesOf(slowly(chunks)), /no disk space is available/);
});

test('a failure of the source reaches the reader', async () => {
  async function* failing(): AsyncGenerator<Buffer> {
    yield part(1);
    throw new Error('the source has failed');
  }
  await assert.rejects(bytesOf(spooled(failing(), options('/does/not/exist'))), /the source has failed/);
});

test('a failure of the source is reported even while nobody reads', async t => {
  async function* failing(): AsyncGenerator<Buffer> {
    yield* source(3).parts;
    throw new Error('the source has failed');
  }
  let reported: unknown;
  const chunks = spooled(
    failing(),
    options(await newFolder(t), {
      onFailure: failure => {
        reported = failure;
      },
    }),
  );
  await chunks.next();
  await until(() => reported !== undefined);
  assert.match(String(reported), /the source has failed/);
  await assert.rejects(chunks.next());
});

test('a failure to create the file reaches the reader', async () => {
  const chunks = spooled(source(100).parts, options('/does/not/exist'));
  await chunks.next();
  await assert.rejects(bytesOf(slowly(chunks)), { code: 'ENOENT' });
});

async function* slowly(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    await new Promise(done => setTimeout(done, 20));
    yield chunk;
  }
}

test('a reader that stops ends the source and the file, even while the file is full', async t => {
  const folder = await newFolder(t);
  const { made, parts } = source(1000);
  let isFull = false;
  const chunks = spooled(
    parts,
    options(folder, {
      spillBytes: 1 << 20,
      onFull: () => {
        isFull = true;
      },
    }),
  );
  await chunks.next();
  await until(() => isFull);
  await chunks.return(undefined);
  assert.ok(made.isClosed);
  if (isLinux) assert.deepEqual(await spillFiles(), []);
});
