import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { fromThreadError } from '../../base/errors.ts';
import type { StoredBytes, TextOfFile } from '../../base/text-of-file.ts';
import { DecodedSource } from '../../storage/decoded-source.ts';
import { openLocalInput } from '../../storage/local/local-input.ts';
import type { StoredInput } from '../../storage/source.ts';
import type { TextJob, TextPart } from './text-worker.ts';

/** A stored upload whose text, if it is Parquet, is made in a thread. */
class ThreadedSource extends DecodedSource {
  readonly #path: string;
  #text: TextInThread | undefined;

  constructor(input: StoredInput, path: string, maxWindowBytes: number) {
    super(input, false, { maxWindowBytes });
    this.#path = path;
  }

  override get stored(): StoredBytes | undefined {
    const stored = super.stored;
    if (stored === undefined) return undefined;
    return {
      ...stored,
      readAs: (text, offset) => {
        this.#text = new TextInThread(text, { path: this.#path, name: this.name });
        return stored.readAs(this.#text, offset);
      },
    };
  }

  override close(): void {
    this.#text?.close();
    super.close();
  }
}

/**
 * @param name of the file as uploaded, for messages
 * @param maxWindowBytes as of `Codec.decompress`
 */
export const openThreaded = async (
  path: string,
  name: string,
  maxWindowBytes: number,
): Promise<DecodedSource> =>
  new ThreadedSource({ ...(await openLocalInput(path)), name }, path, maxWindowBytes);

/** Parts that are made ahead of their reader. */
const AHEAD = 2;

/** The text of a file, made in a thread of its own, so that predictions are not delayed. */
class TextInThread implements TextOfFile {
  readonly codec: string;
  readonly footer: string;
  readonly data: unknown;
  readonly #text: TextOfFile;
  readonly #file: { path: string; name: string };
  readonly #workers = new Set<Worker>();

  /** @param file its path, and its name for messages */
  constructor(text: TextOfFile, file: { path: string; name: string }) {
    this.#text = text;
    this.#file = file;
    this.codec = text.codec;
    this.footer = text.footer;
    this.data = text.data;
  }

  async *from(offset: number): AsyncGenerator<Buffer> {
    const { codec, data } = this;
    const job: TextJob = { ...this.#file, text: { codec, data }, offset };
    // The compiled file's name: unlike imports, URLs are not rewritten.
    const worker = new Worker(new URL('./text-worker.js', import.meta.url), {
      workerData: job,
      // Options of the process, such as --input-type, may forbid starting a file.
      execArgv: [],
    });
    this.#workers.add(worker);
    try {
      const ended = new AbortController();
      worker.once('exit', () => ended.abort());
      // Only the thread posts here, and only these.
      const parts = on(worker, 'message', ended) as AsyncIterable<[TextPart]>;
      for (let asked = 0; asked < AHEAD; asked++) worker.postMessage('next');
      for await (const [part] of parts) {
        if ('failure' in part) throw fromThreadError(part.failure);
        if ('isEnd' in part) return;
        yield Buffer.from(part.bytes.buffer);
        worker.postMessage('next');
      }
    } finally {
      this.#workers.delete(worker);
      await worker.terminate();
    }
  }

  entryBefore(offset: number): ReturnType<TextOfFile['entryBefore']> {
    return this.#text.entryBefore(offset);
  }

  /** Ends what is still read. */
  close(): void {
    for (const worker of this.#workers) void worker.terminate();
  }
}
