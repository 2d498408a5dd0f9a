import { createReadStream, open as openDescriptor } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { RowcastError } from '../errors.ts';

/** Where bytes come from. */
export interface Source {
  /** For messages: the path, or `stdin`. */
  readonly name: string;
  /** Bytes in all, where that is known. */
  readonly size: number | undefined;
  /** The bytes in order, to be read once. An empty chunk says that nothing has come for a while. */
  readonly chunks: AsyncIterator<Buffer>;
  close(): void;
}

const CHUNK_BYTES = 256 << 10;
/** A row that waits longer than this for its batch to fill is sent without. */
const IDLE_MS = 200;

/**
 * Opens a file, or stdin for `-`.
 *
 * @throws RowcastError `no_such_file`, `unreadable_input`
 */
export async function openSource(input: string): Promise<Source> {
  if (input === '-') {
    const stream = process.stdin;
    return {
      name: 'stdin',
      size: undefined,
      chunks: withIdle(stream, 'stdin'),
      close: () => stream.destroy(),
    };
  }
  const refuse = (cause: NodeJS.ErrnoException): never => {
    throw unreadable(input, cause);
  };
  const found = await stat(input).catch(refuse);
  if (found.isDirectory())
    throw new RowcastError('unreadable_input', 'the input is a folder', {
      place: { file: input },
      hint: 'Give one CSV file.',
    });
  // A pipe's reads wait for its writer: as a socket they leave the thread pool, and the exit, alone.
  const stream = found.isFIFO()
    ? new Socket({ fd: await promisify(openDescriptor)(input, 'r').catch(refuse), writable: false })
    : createReadStream(input, { highWaterMark: CHUNK_BYTES });
  const close = (): void => {
    stream.destroy();
  };
  return found.isFile()
    ? { name: input, size: found.size, chunks: whole(stream, input), close }
    : { name: input, size: undefined, chunks: withIdle(stream, input), close };
}

async function* whole(stream: Readable, name: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) yield chunk;
  } catch (cause) {
    throw unreadable(name, cause as NodeJS.ErrnoException); // what fs streams fail with
  }
}

async function* withIdle(stream: Readable, name: string): AsyncGenerator<Buffer> {
  const chunks = whole(stream, name);
  let next = chunks.next();
  for (let idle = false; ; ) {
    const result: IteratorResult<Buffer, void> | undefined = idle ? await next : await within(next, IDLE_MS);
    idle = result === undefined;
    if (result === undefined) yield Buffer.alloc(0);
    else if (result.done) return;
    else {
      yield result.value;
      next = chunks.next();
    }
  }
}

/** What a promise comes to, or undefined when it takes longer. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>(resolve => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function unreadable(file: string, cause: NodeJS.ErrnoException): RowcastError {
  if (cause.code === 'ENOENT')
    return new RowcastError('no_such_file', 'no such file', {
      place: { file },
      cause,
      hint: 'Check the path.',
    });
  return new RowcastError('unreadable_input', `the input cannot be read: ${cause.message}`, {
    place: { file },
    cause,
  });
}
