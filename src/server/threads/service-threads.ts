import { availableParallelism } from 'node:os';
import type { RowcastError } from '../../base/errors.ts';
import type { ProblemCode } from '../../base/reference/problem-codes.ts';
import type { Batch } from '../../formats/records/batch.ts';
import { receivedScored } from '../../models/local/open-input.ts';
import type { InputData } from '../../models/local/threads/thread-messages.ts';
import { asBuffer } from '../../models/local/threads/transfer.ts';
import { WorkerThread } from '../../models/local/threads/worker-thread.ts';
import type { StoredModel } from '../../models/model/compiled-model.ts';
import type { Model } from '../../models/model/model-file.ts';
import type { Scored } from '../../scoring/scorer.ts';
import { ownParts, type ReceivedBody } from '../http/request-body.ts';
import { KeyTurns } from '../limits/fair-turns.ts';
import type { ContentMember, Slice } from '../predict/persona-work.ts';
import type { Predictor, WorkLimits } from '../predict/predictor.ts';
import { RequestError } from '../problems/problems.ts';

/**
 * Requests to a thread of the service. Models, inputs of uploads and jobs, which are requests with personas, have numbers;
 * they are kept until they are closed.
 */
export type ServiceRequest =
  | { kind: 'open-model'; model: number; stored: StoredModel }
  | { kind: 'close-model'; model: number }
  | { kind: 'open-input'; input: number; model: number; data: InputData }
  | { kind: 'score'; input: number; batch: Batch }
  | { kind: 'close-input'; input: number }
  | { kind: 'open-job'; job: number; parts: readonly Uint8Array[]; member: ContentMember }
  | { kind: 'slice'; job: number; model: number; work: WorkLimits }
  | { kind: 'more'; job: number }
  | { kind: 'close-job'; job: number };

/** Its responses: to a batch, an opened job, a slice of one, and a request for more of its response. */
export type ServiceResult =
  | { kind: 'scored'; scored: Scored }
  | { kind: 'opened'; id: string }
  | { kind: 'slice'; slice: Slice }
  /** Undefined after the last piece. */
  | { kind: 'piece'; piece: Uint8Array | undefined }
  /** The request is to be rejected with this problem. */
  | { kind: 'refused'; code: ProblemCode; detail: string };

/** Smaller bodies and batches are scored on the main thread: that is faster, and takes it less than a millisecond. */
export const LARGE_REQUEST_BYTES = 16 * 1024;

/** Who asks, and whether the work is still wanted. */
export interface Asker {
  /** The key whose turns are taken. */
  key: string;
  /** Called when the turn of a slice has come; throws if its result is not wanted any more. */
  check(): void;
}

/** A request with personas that a thread works on. */
export interface PersonaJob {
  /** The report's id. */
  id: string;
  next(predictor: Predictor): Promise<Slice>;
  /** The next piece of a response that has more; undefined after the last one. */
  more(): Promise<Buffer | undefined>;
  close(): void;
}

/**
 * The threads that parse, score and write large requests, so that the main thread is free for others. One is started
 * when there is work and all others have some; one that has died is replaced in the same way.
 */
export class ServiceThreads {
  readonly #onDeath: (failure: RowcastError) => void;
  readonly #count: number;
  readonly #threads = new Set<ServiceThread>();
  readonly #models = new WeakMap<Model, number>();
  #lastNumber = 0;

  /**
   * @param onDeath called when a thread has ended unexpectedly
   * @param count the most threads
   */
  constructor(onDeath: (failure: RowcastError) => void, count = availableParallelism()) {
    this.#onDeath = onDeath;
    this.#count = count;
  }

  /** The number of a new model, input or job. */
  newNumber(): number {
    return ++this.#lastNumber;
  }

  /** How many threads run. */
  get running(): number {
    return this.#threads.size;
  }

  /**
   * Opens a body in a thread, which takes over its memory.
   *
   * @throws RequestError `malformed`
   */
  async openJob(body: ReceivedBody, member: ContentMember, asker: Asker): Promise<PersonaJob> {
    const thread = this.#idlest();
    const job = this.newNumber();
    const close = (): void => {
      thread.users--;
      thread.closeJob(job);
    };
    thread.users++;
    try {
      const parts = ownParts(body);
      const request = { kind: 'open-job', job, parts, member } as const;
      const memory = parts.map(({ buffer }) => buffer);
      const { id } = await thread.ask('opened', asker, request, { memory });
      return {
        id,
        next: predictor => this.#slice(thread, job, predictor, asker),
        async more() {
          const { piece } = await thread.ask('piece', asker, { kind: 'more', job });
          return piece && asBuffer(piece);
        },
        close,
      };
    } catch (error) {
      close();
      throw error;
    }
  }

  async #slice(thread: ServiceThread, job: number, { model, work }: Predictor, asker: Asker): Promise<Slice> {
    const number = this.#numberOf(model);
    const request = { kind: 'slice', job, model: number, work } as const;
    const { slice } = await thread.ask('slice', asker, request, { model: { number, stored: model } });
    return { ...slice, body: slice.body && asBuffer(slice.body) };
  }

  /** Scores a batch of an upload. */
  async score(
    batch: Batch,
    { input, data, model }: { input: number; data: InputData; model: Model },
    asker: Asker,
  ): Promise<Scored> {
    const thread = this.#idlest();
    thread.users++;
    try {
      const request = { kind: 'score', input, batch } as const;
      const { scored } = await thread.ask('scored', asker, request, {
        model: { number: this.#numberOf(model), stored: model },
        input: { number: input, data },
      });
      return receivedScored(scored);
    } finally {
      thread.users--;
    }
  }

  /** No further batch of this upload will be scored. */
  closeInput(input: number): void {
    for (const thread of this.#threads) thread.closeInput(input);
  }

  /** Frees a model that nothing uses any more. */
  closeModel(model: Model): void {
    const number = this.#models.get(model);
    if (number !== undefined) for (const thread of this.#threads) thread.closeModel(number);
  }

  async end(): Promise<void> {
    await Promise.all([...this.#threads].map(thread => thread.end()));
    this.#threads.clear();
  }

  #numberOf(model: Model): number {
    const number = this.#models.get(model) ?? this.newNumber();
    this.#models.set(model, number);
    return number;
  }

  /** The thread with the least work: a new one, if all have some and there may be more. */
  #idlest(): ServiceThread {
    let found: ServiceThread | undefined;
    for (const thread of this.#threads) if (found === undefined || thread.users < found.users) found = thread;
    if (found !== undefined && (found.users === 0 || this.#threads.size >= this.#count)) return found;
    const thread: ServiceThread = new ServiceThread(failure => {
      this.#threads.delete(thread);
      this.#onDeath(failure);
    });
    this.#threads.add(thread);
    return thread;
  }
}

/** Opens what a request refers to, unless it is open in the thread already. */
interface Needs {
  model?: { number: number; stored: StoredModel };
  input?: { number: number; data: InputData };
}

/**
 * Megabytes of a thread for what is new. It has few objects, but each may hold much memory outside of the heap, such as
 * bodies and predictions, which is free again only when the objects are collected: the default, 48, keeps 90 MB more.
 */
const YOUNG_MB = 6;

/** A thread of the service, with the models and inputs that are open in it. */
class ServiceThread {
  /** Requests and batches that it is working on, or that wait for it. */
  users = 0;
  readonly #worker: WorkerThread<ServiceRequest, ServiceResult>;
  readonly #turns = new KeyTurns();
  readonly #models = new Set<number>();
  readonly #inputs = new Set<number>();

  constructor(onDeath: (failure: RowcastError) => void) {
    this.#worker = new WorkerThread({
      // The compiled file's name: unlike imports, URLs are not rewritten.
      file: new URL('./service-worker.js', import.meta.url),
      name: 'scoring thread of the service',
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
      onDeath,
    });
  }

  /**
   * Does a slice of work in the next turn of the key.
   *
   * @param kind of the result
   * @throws RequestError for a request that is to be rejected; RowcastError `service_died`, `out_of_memory`
   */
  ask<Kind extends ServiceResult['kind']>(
    kind: Kind,
    { key, check }: Asker,
    request: ServiceRequest,
    { memory, ...needs }: Needs & { memory?: ArrayBuffer[] } = {},
  ): Promise<Extract<ServiceResult, { kind: Kind }>> {
    return this.#turns.run(key, async () => {
      check();
      this.#open(needs);
      const result = await this.#worker.ask(request, memory);
      if (result.kind === 'refused') throw new RequestError(result.code, result.detail);
      if (result.kind !== kind) throw new TypeError(`${request.kind}: ${result.kind}`);
      return result as Extract<ServiceResult, { kind: Kind }>; // by its kind
    });
  }

  closeModel(model: number): void {
    if (this.#models.delete(model)) this.#worker.tell({ kind: 'close-model', model });
  }

  closeInput(input: number): void {
    if (this.#inputs.delete(input)) this.#worker.tell({ kind: 'close-input', input });
  }

  closeJob(job: number): void {
    this.#worker.tell({ kind: 'close-job', job });
  }

  end(): Promise<void> {
    return this.#worker.end();
  }

  #open({ model, input }: Needs): void {
    if (model !== undefined && !this.#models.has(model.number)) {
      this.#models.add(model.number);
      const { columns, prediction, predictor } = model.stored;
      const stored = { columns, prediction, predictor };
      this.#worker.tell({ kind: 'open-model', model: model.number, stored });
    }
    if (model !== undefined && input !== undefined && !this.#inputs.has(input.number)) {
      this.#inputs.add(input.number);
      this.#worker.tell({ kind: 'open-input', input: input.number, model: model.number, data: input.data });
    }
  }
}
