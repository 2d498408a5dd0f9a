import { RequestError } from '../problems/problems.ts';
import type { AdminReply } from './admin-protocol.ts';

/** How long the main thread has to reply; then what it replied last is told. A probe is answered within 100 ms. */
const REPLY_MS = 50;
/** Without a sign of the main thread for so long, the service is not ready: a request would wait for longer. */
const UNRESPONSIVE_MS = 1_000;
/** No request can hold up the main thread for so long, so it will not come back by itself. */
const HUNG_MS = 60_000;

export interface MainThreadOptions {
  /** Milliseconds since the last sign of the main thread. */
  silence(): number;
  /** Asks the main thread, which replies through `heard`, or not. */
  ask(question: AdminReply['about']): void;
}

interface Asked {
  /** What was replied last. */
  last: AdminReply | undefined;
  /** The question that is not replied to yet: those who ask meanwhile share it. */
  pending: { reply: Promise<void>; resolve(): void } | undefined;
}

/** What the admin thread says of the main one, whether that one replies or not. */
export class MainThread {
  readonly #options: MainThreadOptions;
  readonly #asked: Record<AdminReply['about'], Asked> = {
    readiness: { last: undefined, pending: undefined },
    metrics: { last: undefined, pending: undefined },
  };

  constructor(options: MainThreadOptions) {
    this.#options = options;
  }

  /** To be told what the main thread replies. */
  onReply(reply: AdminReply): void {
    const asked = this.#asked[reply.about];
    asked.last = reply;
    asked.pending?.resolve();
    asked.pending = undefined;
  }

  /** @throws RequestError `unresponsive` when the main thread hangs, so that only a restart helps */
  checkAlive(): void {
    if (this.#options.silence() > HUNG_MS) throw this.#unresponsive('It hangs; restart the service.');
  }

  /** @throws RequestError `unresponsive` while requests to the main port would wait, or what the main thread replies */
  async checkReady(): Promise<void> {
    const reply = await this.#ask('readiness');
    if (this.#options.silence() > UNRESPONSIVE_MS)
      throw this.#unresponsive('It is busy with a request, and others wait until it is done.');
    if (reply?.about === 'readiness' && reply.problem !== undefined)
      throw new RequestError(reply.problem.code, reply.problem.message);
  }

  /** The metrics, as of the last reply, and how long ago the main thread gave a sign of life. */
  async metrics(): Promise<string> {
    const reply = await this.#ask('metrics');
    const silence = this.#options.silence() / 1000;
    const text = reply?.about === 'metrics' ? reply.text : '';
    return (
      `${text.trimEnd()}\n` +
      '# HELP rowcast_main_thread_silence_seconds Seconds since the main thread last ran its event loop.\n' +
      '# TYPE rowcast_main_thread_silence_seconds gauge\n' +
      `rowcast_main_thread_silence_seconds ${silence.toFixed(3)}\n`
    );
  }

  async #ask(question: AdminReply['about']): Promise<AdminReply | undefined> {
    const asked = this.#asked[question];
    if (asked.pending === undefined) {
      let resolve = (): void => {};
      const reply = new Promise<void>(done => {
        resolve = done;
      });
      asked.pending = { reply, resolve };
      this.#options.ask(question);
    }
    let late: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>(done => {
      late = setTimeout(done, REPLY_MS);
    });
    await Promise.race([asked.pending.reply, timeout]);
    clearTimeout(late);
    return asked.last;
  }

  #unresponsive(meaning: string): RequestError {
    const seconds = (this.#options.silence() / 1000).toFixed(1);
    return new RequestError('unresponsive', `The main thread has not responded for ${seconds} s. ${meaning}`);
  }
}
