import { Worker } from 'node:worker_threads';
import { RowcastError } from '../errors.ts';
import type { Batch } from '../formats/csv/batch.ts';
import type { Scored } from '../scoring/scorer.ts';
import { fromThreadError } from '../thread-error.ts';
import type { InputData, ThreadRequest, ThreadResponse } from './thread-messages.ts';

interface Waiting {
  resolve(scored: Scored): void;
  reject(error: unknown): void;
}

/** A thread that scores batches. It ends with the process, and does not keep it alive. */
export class ScoringThread {
  /** Whether it has loaded its code; batches that are sent earlier wait. */
  isReady = false;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #open = new Set<number>();
  #lastId = 0;
  #failure: RowcastError | undefined;

  constructor() {
    // The compiled file's name: unlike imports, URLs are not rewritten.
    this.#worker = new Worker(new URL('./scoring-worker.js', import.meta.url), {
      // Options of the process, such as --input-type, may forbid starting a file.
      execArgv: [],
    });
    this.#worker.on('message', (response: ThreadResponse) => this.#receive(response));
    this.#worker.on('error', cause => this.#fail(cause));
    this.#worker.on('exit', code => this.#fail(new Error(`it ended with code ${code}`)));
    this.#worker.unref();
  }

  /** Batches that it has not scored yet. */
  get pending(): number {
    return this.#waiting.size;
  }

  /**
   * Scores a batch of an input.
   *
   * @throws RowcastError `service_died` if the thread has ended
   */
  score(input: number, data: InputData, batch: Batch): Promise<Scored> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (!this.#open.has(input)) {
      this.#open.add(input);
      this.#send({ kind: 'open', input, data });
    }
    const id = ++this.#lastId;
    this.#send({ kind: 'score', input, id, batch });
    // A pending batch keeps the process alive.
    this.#worker.ref();
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  /** No further batch of this input will be sent. */
  closeInput(input: number): void {
    if (this.#open.delete(input)) this.#send({ kind: 'close', input });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #send(request: ThreadRequest): void {
    this.#worker.postMessage(request);
  }

  #receive(response: ThreadResponse): void {
    if (response.kind === 'ready') {
      this.isReady = true;
      return;
    }
    const waiting = this.#waiting.get(response.id);
    this.#waiting.delete(response.id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if (response.kind === 'failed') waiting?.reject(fromThreadError(response.failure));
    else waiting?.resolve(withBuffer(response.scored));
  }

  #fail(cause: unknown): void {
    this.#failure ??= died(cause);
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
    this.#waiting.clear();
  }
}

/** Structured cloning makes a Uint8Array of a Buffer. */
function withBuffer(scored: Scored): Scored {
  if (scored.merged === undefined) return scored;
  const { bytes, ends } = scored.merged;
  return {
    ...scored,
    merged: { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), ends },
  };
}

function died(cause: unknown): RowcastError {
  if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY')
    return new RowcastError('out_of_memory', 'scoring needs more memory than Node.js may use', {
      severity: 'stopped',
      hint: 'Raise the limit, in MB: NODE_OPTIONS=--max-old-space-size=8192.',
      cause,
    });
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new RowcastError('service_died', `a scoring thread stopped unexpectedly: ${reason}`, {
    severity: 'stopped',
    cause,
  });
}
