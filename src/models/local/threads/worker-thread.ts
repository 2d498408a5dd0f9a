import { parentPort, type ResourceLimits, Worker } from 'node:worker_threads';
import { fromThreadError, RowcastError, type ThreadError, toThreadError } from '../../../base/errors.ts';
import { isOutOfMemory } from '../../../base/thread-result.ts';

/** What a thread is sent: requests with an id are answered, others are not. */
interface SentToThread<Request> {
  id: number | undefined;
  request: Request;
}

/** What a thread sends: that it has loaded its code, and one outcome for each request with an id. */
type Answer<Result> =
  | { kind: 'ready' }
  | { kind: 'done'; id: number; result: Result }
  | { kind: 'failed'; id: number; failure: ThreadError };

interface Waiting<Result> {
  resolve(result: Result): void;
  reject(error: unknown): void;
}

interface WorkerThreadOptions {
  /** The compiled file, which calls `answerRequests`. */
  file: URL;
  /** For messages. */
  name: string;
  resourceLimits?: ResourceLimits;
  /** Called once, when the thread has ended unexpectedly. */
  onDeath?(failure: RowcastError): void;
}

/** A thread that answers requests. It ends with the process, and keeps it alive only while a request is pending. */
export class WorkerThread<Request, Result> {
  /** Whether it has loaded its code and runs; requests that are sent earlier wait. */
  isReady = false;
  readonly #options: WorkerThreadOptions;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting<Result>>();
  #lastId = 0;
  #failure: RowcastError | undefined;
  #isEnding = false;

  constructor(options: WorkerThreadOptions) {
    this.#options = options;
    this.#worker = new Worker(options.file, {
      // Options of the process, such as --input-type, may forbid starting a file.
      execArgv: [],
      ...(options.resourceLimits && { resourceLimits: options.resourceLimits }),
    });
    this.#worker.on('message', (answer: Answer<Result>) => this.#receive(answer));
    this.#worker.on('error', cause => this.#fail(cause));
    // A message that cannot be deserialized, perhaps because this thread is out of memory.
    this.#worker.on('messageerror', cause => this.#fail(cause));
    this.#worker.on('exit', code => this.#fail(new Error(`it ended with code ${code}`)));
    this.#worker.unref();
  }

  /** Requests that are not answered yet. */
  get pending(): number {
    return this.#waiting.size;
  }

  /** Sends what needs no answer. */
  tell(request: Request): void {
    this.#send({ id: undefined, request }, []);
  }

  /**
   * @param memory passed on instead of being copied
   * @throws RowcastError `service_died` or `out_of_memory` if the thread has ended
   */
  ask(request: Request, memory: ArrayBuffer[] = []): Promise<Result> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const id = ++this.#lastId;
    this.#send({ id, request }, memory);
    this.#worker.ref();
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#worker.terminate();
  }

  #send(sent: SentToThread<Request>, memory: ArrayBuffer[]): void {
    this.#worker.postMessage(sent, memory);
  }

  #receive(answer: Answer<Result>): void {
    if (answer.kind === 'ready') {
      this.isReady = true;
      return;
    }
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    // While it is being ended, `terminate` keeps the process alive, which a late answer must not undo.
    if (this.#waiting.size === 0 && !this.#isEnding) this.#worker.unref();
    if (answer.kind === 'failed') waiting?.reject(fromThreadError(answer.failure));
    else waiting?.resolve(answer.result);
  }

  #fail(cause: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = died(this.#options.name, cause);
    this.isReady = false;
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
    this.#waiting.clear();
    if (!this.#isEnding) this.#options.onDeath?.(this.#failure);
  }
}

function died(name: string, cause: unknown): RowcastError {
  if (isOutOfMemory(cause))
    return new RowcastError('out_of_memory', 'scoring needs more memory than Node.js may use', {
      severity: 'stopped',
      hint: 'Raise the limit, in MB: NODE_OPTIONS=--max-old-space-size=8192.',
      cause,
    });
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new RowcastError('service_died', `a ${name} stopped unexpectedly: ${reason}`, {
    severity: 'bug',
    cause,
  });
}

export interface Answered<Result> {
  result: Result;
  /** Passed on instead of being copied. */
  memory?: ArrayBuffer[];
}

/**
 * Answers the requests of a `WorkerThread`, whose file this runs in.
 *
 * @param answer gives nothing for requests that need no answer
 */
export function answerRequests<Request, Result>(
  answer: (request: Request) => Promise<Answered<Result>> | undefined,
): void {
  if (parentPort === null) throw new Error('this file runs in a worker thread only');
  const port = parentPort;
  const send = (message: Answer<Result>, memory: ArrayBuffer[] = []): void =>
    port.postMessage(message, memory);
  // Only a `WorkerThread` with these types starts the file.
  port.on('message', async ({ id, request }: SentToThread<Request>) => {
    const answered = answer(request);
    if (id === undefined || answered === undefined) return;
    try {
      const { result, memory } = await answered;
      send({ kind: 'done', id, result }, memory);
    } catch (error) {
      send({ kind: 'failed', id, failure: toThreadError(error) });
    }
  });
  send({ kind: 'ready' });
}
