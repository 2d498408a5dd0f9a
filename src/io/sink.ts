import { fstatSync, open as openDescriptor, type Stats } from 'node:fs';
import { type FileHandle, open, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { dirname, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { type Consequence, RowcastError } from '../errors.ts';

/** Where bytes go. */
export interface Sink {
  /** For messages: the path, or `stdout`. */
  readonly name: string;
  /** @throws RowcastError `unwritable_output`; ClosedPipe when the reader has gone */
  write(bytes: Buffer): Promise<void>;
  /** All was written: now, and not before, it may be seen. */
  commit(): Promise<void>;
  /** The run did not come to its end. */
  abandon(): Promise<void>;
}

/** The reader of a pipe has seen enough: no failure. */
export class ClosedPipe extends Error {
  override readonly name = 'ClosedPipe';
}

/**
 * Opens an output, `-` for stdout. A file appears only whole: its bytes go to `OUTPUT.partial` beside it.
 * A FIFO or a device is written directly; symbolic links are followed.
 *
 * @param input the input's path or `-`, if there is one: an output that is the input is refused
 * @throws RowcastError `output_is_input`, `unwritable_output`
 */
export async function openSink(output: string, input?: string): Promise<Sink> {
  const source = input === undefined ? undefined : input === '-' ? fstatSync(0) : await stat(input);
  if (output === '-') {
    refuseSame(source, fstatSync(1), 'stdout');
    return streamSink('stdout', process.stdout);
  }
  const found = await statOf(output);
  if (found?.isDirectory()) throw unwritable(output, new Error('it is a folder'));
  refuseSame(source, found, output);
  // Under its own name: what /dev/fd/N links to is no path (`pipe:[1234]`).
  if (found !== undefined && !found.isFile()) return deviceSink(output, found);
  const target = await followLinks(output);
  refuseSame(source, await statOf(partialOf(target)), partialOf(target));
  return fileSink(output, target);
}

const partialOf = (target: string): string => `${target}.partial`;

async function fileSink(name: string, target: string): Promise<Sink> {
  const partial = partialOf(target);
  const file = await open(partial, 'w', 0o600).catch(cause => {
    throw unwritable(name, cause);
  });
  const fail = (cause: Error): never => {
    throw unwritable(name, cause, 'stopped');
  };
  return {
    name,
    write: bytes => writeAll(file, bytes).catch(fail),
    async commit() {
      await file.sync().catch(fail);
      await file.close();
      await rename(partial, target).catch(fail);
      await syncFolder(dirname(target));
    },
    async abandon() {
      await file.close();
      await rm(partial, { force: true });
    },
  };
}

async function deviceSink(name: string, found: Stats): Promise<Sink> {
  const refuse = (cause: Error): never => {
    throw unwritable(name, cause);
  };
  // A pipe's writes wait for its reader: as a socket they leave the thread pool, and the exit, alone.
  if (found.isFIFO()) {
    const fd = await promisify(openDescriptor)(name, 'w').catch(refuse);
    return streamSink(name, new Socket({ fd, readable: false, writable: true }), true);
  }
  const file = await open(name, 'w').catch(refuse);
  return {
    name,
    write: bytes =>
      writeAll(file, bytes).catch(cause => {
        throw unwritable(name, cause, 'stopped');
      }),
    commit: () => file.close(),
    abandon: () => file.close(),
  };
}

/** @param isOwn whether the stream was opened here, and is to be closed */
function streamSink(name: string, stream: Writable, isOwn = false): Sink {
  // Told to the write that failed; without a listener the process would end.
  stream.on('error', () => {});
  const end = async (): Promise<void> => {
    // It has closed itself when its reader has gone.
    if (isOwn && !stream.closed) await new Promise(done => stream.once('close', done).end());
  };
  return {
    name,
    write: bytes =>
      new Promise((done, fail) => {
        stream.write(bytes, (cause: NodeJS.ErrnoException | null | undefined) => {
          if (!cause) done();
          else
            fail(cause.code === 'EPIPE' ? new ClosedPipe(cause.message) : unwritable(name, cause, 'stopped'));
        });
      }),
    commit: end,
    abandon: end,
  };
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
}

/** Makes a rename in the folder durable (fsync(2): the file's own sync does not). */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

/** What is there, links followed, or undefined where nothing is. */
async function statOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined;
    throw unwritable(path, cause);
  });
}

/** The path that a chain of symbolic links ends at, whether or not something is there; `stat` knows no circle. */
async function followLinks(path: string): Promise<string> {
  const link = await readlink(path).catch(() => undefined); // no link, or nothing there
  // A link is relative to the folder that it really is in, which `..` leads out of.
  return link === undefined ? path : followLinks(resolve(await realpath(dirname(path)), link));
}

function refuseSame(source: Stats | undefined, target: Stats | undefined, name: string): void {
  if (!source?.isFile() || target === undefined) return;
  if (source.dev !== target.dev || source.ino !== target.ino) return;
  throw new RowcastError('output_is_input', 'the output is the input', {
    place: { file: name },
    hint: 'Give another -o: the input is read while the output is written.',
  });
}

function unwritable(file: string, cause: Error, consequence: Consequence = 'refused'): RowcastError {
  return new RowcastError('unwritable_output', `the output cannot be written: ${cause.message}`, {
    consequence,
    place: { file },
    cause,
  });
}
