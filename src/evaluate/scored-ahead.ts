import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { Interrupted, onAbort } from '../base/interrupted.ts';
import { schemeOf } from '../base/scheme.ts';
import { resultOf, startThread } from '../base/thread-result.ts';
import { wordView } from '../formats/bytes/word-view.ts';
import type { EvaluatedBatch, ScoredFiles, ScoredSource } from './scored-rows.ts';

/** Smaller files are read before a thread has started, which takes 50 ms. */
const SMALLEST_BYTES = 8 << 20;

/**
 * Whether a thread is to read scored files while labels are read and rows are counted: if they are files of this
 * machine that are large enough, and there is a processor for it. What can be read only once stays here, and labels
 * that are in the same files, too.
 */
export async function isReadAhead({
  scored,
  labels,
  aheadFrom = SMALLEST_BYTES,
}: ScoredFiles): Promise<boolean> {
  if (labels.length === 0 || availableParallelism() < 2) return false;
  let bytes = 0;
  for (const name of scored) {
    if (name === '-' || schemeOf(name) !== undefined) return false;
    const found = await stat(name).catch(() => undefined); // opening it says why
    if (found?.isFile() !== true) return false;
    bytes += found.size;
  }
  return bytes >= aheadFrom;
}

/**
 * A batch on its way between threads, in one memory that goes back to be used again: the numbers of all rows, where
 * their keys begin and the last one ends, the hashes of the keys, and the keys. The memory is shared, because passing
 * it on would make V8 collect garbage often.
 */
export interface PostedBatch extends Pick<EvaluatedBatch, 'rows' | 'values' | 'read'> {
  memory: SharedArrayBuffer;
  /** Numbers of all rows. */
  numbers: number;
  hasKeys: boolean;
  keyBytes: number;
}

/** The parts of a memory. */
export function partsOfBatch({
  memory,
  rows,
  numbers,
  hasKeys,
  keyBytes,
}: Omit<PostedBatch, 'values' | 'read'>) {
  const keys = hasKeys ? rows : 0;
  const bounds = new Int32Array(memory, numbers * Float64Array.BYTES_PER_ELEMENT, keys + 1);
  const hashes = new Int32Array(memory, bounds.byteOffset + bounds.byteLength, keys);
  return {
    numbers: new Float64Array(memory, 0, numbers),
    bounds,
    hashes,
    words: wordView(Buffer.from(memory, hashes.byteOffset + hashes.byteLength, keyBytes)),
  };
}

/** Scored files that a thread reads from now on, some batches ahead. */
export class ScoredAhead implements ScoredSource {
  readonly #worker: Worker;
  readonly #signal: AbortSignal | undefined;
  readonly #stop = new AbortController();
  readonly #arrived: PostedBatch[] = [];
  readonly #end: Promise<null>;
  #isOver = false;
  #wake = (): void => {};

  /** @param signal ends it */
  constructor(files: ScoredFiles, signal: AbortSignal | undefined) {
    // The compiled file's name: unlike imports, URLs are not rewritten.
    this.#worker = startThread(new URL('./scored-worker.js', import.meta.url), files);
    this.#signal = signal;
    const callOff = onAbort(signal, () => this.#stop.abort());
    this.#end = resultOf<null, PostedBatch>(this.#worker, 'reading', {
      signal: this.#stop.signal,
      onMessage: batch => {
        this.#arrived.push(batch);
        this.#wake();
      },
    }).finally(() => {
      callOff();
      this.#isOver = true;
      this.#wake();
    });
    this.#end.catch(() => {}); // it is awaited behind the last batch
  }

  /** @throws Interrupted */
  async *batches(): AsyncGenerator<EvaluatedBatch> {
    for (;;) {
      if (this.#signal?.aborted) throw new Interrupted(this.#signal);
      const posted = this.#arrived.shift();
      if (posted !== undefined) {
        const { numbers, bounds, hashes, words } = partsOfBatch(posted);
        const { rows, values, read, memory } = posted;
        yield { rows, words, starts: bounds, ends: bounds.subarray(1), hashes, numbers, values, read };
        this.#worker.postMessage(memory);
      } else if (this.#isOver) {
        await this.#end;
        return;
      } else
        await new Promise<void>(resolve => {
          this.#wake = resolve;
        });
    }
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#end.catch(() => {}); // nobody waits for it any more
  }
}
