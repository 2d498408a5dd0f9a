import type { StoredBytes, TextOfFile } from '../../base/text-of-file.ts';
import { WorkerThread } from '../../models/local/threads/worker-thread.ts';
import { DecodedSource } from '../../storage/decoded-source.ts';
import { openLocalInput } from '../../storage/local/local-input.ts';
import type { StoredInput } from '../../storage/source.ts';
import type { TextRequest } from './text-worker.ts';

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

type TextThread = WorkerThread<TextRequest, Uint8Array<ArrayBuffer> | undefined>;

/** The text of a file, made in a thread of its own, so that predictions are not delayed. */
class TextInThread implements TextOfFile {
  readonly codec: string;
  readonly footer: string;
  readonly data: unknown;
  readonly #text: TextOfFile;
  readonly #file: { path: string; name: string };
  readonly #threads = new Set<TextThread>();

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
    // The compiled file's name: unlike imports, URLs are not rewritten.
    const file = new URL('./text-worker.js', import.meta.url);
    const thread: TextThread = new WorkerThread({ file, name: 'thread that reads Parquet' });
    this.#threads.add(thread);
    const request = (): Promise<Uint8Array<ArrayBuffer> | undefined> => {
      const part = thread.ask('next');
      part.catch(() => {}); // it is awaited below, unless an earlier one has failed
      return part;
    };
    try {
      thread.tell({ ...this.#file, text: { codec, data }, offset });
      const parts = Array.from({ length: AHEAD }, request);
      for (let part = await parts.shift(); part !== undefined; part = await parts.shift()) {
        yield Buffer.from(part.buffer);
        parts.push(request());
      }
    } finally {
      this.#threads.delete(thread);
      await thread.end();
    }
  }

  entryBefore(offset: number): ReturnType<TextOfFile['entryBefore']> {
    return this.#text.entryBefore(offset);
  }

  /** Ends what is still read. */
  close(): void {
    for (const thread of this.#threads) void thread.end();
  }
}
