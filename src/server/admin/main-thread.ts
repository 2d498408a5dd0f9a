import { EventEmitter, once } from 'node:events';
import type { ThreadError } from '../../base/errors.ts';
import type { ProblemCode } from '../../base/reference/problem-codes.ts';
import { RequestError } from '../problems/problems.ts';

/** What `startAdmin` passes to the admin thread. */
export interface AdminJob {
  host: string;
  port: number;
  /** The main thread's. */
  heartbeat: SharedArrayBuffer;
  /** The content type of the metrics; undefined if they are off. */
  contentType: string | undefined;
}

/** The first message of the admin thread; all later ones are questions. */
export type AdminMessage = { url: string } | { failure: ThreadError };
export type AdminQuestion = 'readiness' | 'metrics';

/** The main thread's reply to a question: why it is not ready, if it is not, or its metrics. */
export interface AdminReply {
  about: AdminQuestion;
  problem?: { code: ProblemCode; message: string } | undefined;
  text?: string | undefined;
}

/** How long to wait for the main thread's reply before using the previous one. Probes must get a response in 100 ms. */
const REPLY_MS = 50;
/** After this long without a heartbeat the service is not ready: a request would wait even longer. */
const UNRESPONSIVE_MS = 1_000;
/** No request blocks the main thread for this long, so it will not recover by itself. */
const HUNG_MS = 60_000;

/** What the admin thread knows about the main thread, whether or not that one replies. */
export class MainThread {
  readonly #silence: () => number;
  readonly #send: (question: AdminQuestion) => void;
  /** The latest replies. */
  readonly #last = new Map<AdminQuestion, AdminReply>();
  /** The questions without a reply, which all requests share that ask meanwhile. */
  readonly #pending = new Set<AdminQuestion>();
  readonly #replies = new EventEmitter<Record<AdminQuestion, []>>().setMaxListeners(0);

  /**
   * @param silence milliseconds since the main thread's last heartbeat
   * @param send asks the main thread, which may reply through `onReply`
   */
  constructor(silence: () => number, send: (question: AdminQuestion) => void) {
    this.#silence = silence;
    this.#send = send;
  }

  /** Call this with each reply of the main thread. */
  onReply(reply: AdminReply): void {
    this.#last.set(reply.about, reply);
    this.#pending.delete(reply.about);
    this.#replies.emit(reply.about);
  }

  /** @throws RequestError `unresponsive` if the main thread is hung, so that only a restart helps */
  checkAlive(): void {
    if (this.#silence() > HUNG_MS) throw this.#unresponsive('It is hung; restart the service.');
  }

  /** @throws RequestError `unresponsive` while requests to the main port would wait; or the main thread's problem */
  async checkReady(): Promise<void> {
    const reply = await this.#ask('readiness');
    if (this.#silence() > UNRESPONSIVE_MS)
      throw this.#unresponsive('It is busy with a request; other requests are waiting.');
    if (reply?.problem !== undefined) throw new RequestError(reply.problem.code, reply.problem.message);
  }

  /** The metrics as of the latest reply, and the time since the main thread's last heartbeat. */
  async metrics(): Promise<string> {
    const reply = await this.#ask('metrics');
    const silence = this.#silence() / 1000;
    return (
      `${reply?.text?.trimEnd() ?? ''}\n` +
      '# HELP rowcast_main_thread_silence_seconds Seconds since the main thread last ran its event loop.\n' +
      '# TYPE rowcast_main_thread_silence_seconds gauge\n' +
      `rowcast_main_thread_silence_seconds ${silence.toFixed(3)}\n`
    );
  }

  async #ask(question: AdminQuestion): Promise<AdminReply | undefined> {
    if (!this.#pending.has(question)) {
      this.#pending.add(question);
      this.#send(question);
    }
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), REPLY_MS);
    await once(this.#replies, question, late).catch(() => {}); // the last reply stands
    clearTimeout(timer);
    return this.#last.get(question);
  }

  #unresponsive(meaning: string): RequestError {
    const seconds = (this.#silence() / 1000).toFixed(1);
    return new RequestError('unresponsive', `The main thread has not responded for ${seconds} s. ${meaning}`);
  }
}

/** How often the monitored thread updates its heartbeat. */
const UPDATE_MS = 100;

/**
 * Shows one thread that another one is running: the time of its last turn of the event loop, in memory that both
 * share. A message would have to wait for the monitored thread.
 */
export class Heartbeat {
  /** Pass this to the other thread. */
  readonly shared: SharedArrayBuffer;
  readonly #last: BigInt64Array;

  constructor(shared = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#last = new BigInt64Array(shared);
  }

  /** Starts the heartbeat, which does not keep the process alive. @returns a function that stops it */
  start(): () => void {
    const update = (): void => {
      Atomics.store(this.#last, 0, process.hrtime.bigint());
    };
    update();
    const timer = setInterval(update, UPDATE_MS).unref();
    return () => clearInterval(timer);
  }

  /** Milliseconds since the last update. The clock is the same in all threads and stops while the machine sleeps. */
  silence(): number {
    return Number(process.hrtime.bigint() - Atomics.load(this.#last, 0)) / 1e6;
  }
}
