/** How often the thread that is watched says that it runs. */
const BEAT_MS = 100;

/**
 * By what one thread tells another that it runs: the time of its last turn of the event loop, in memory that both
 * share, since a message would wait for the thread that is asked about.
 */
export class Heartbeat {
  /** To be handed to the other thread. */
  readonly shared: SharedArrayBuffer;
  readonly #last: BigInt64Array;

  constructor(shared = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#last = new BigInt64Array(shared);
  }

  /** Beats from here on, without keeping the process alive. @returns to be called to stop */
  start(): () => void {
    const beat = (): void => {
      Atomics.store(this.#last, 0, process.hrtime.bigint());
    };
    beat();
    const timer = setInterval(beat, BEAT_MS).unref();
    return () => clearInterval(timer);
  }

  /** Milliseconds since the last beat. The clock is the same in all threads, and stands still while the machine sleeps. */
  silence(): number {
    return Number(process.hrtime.bigint() - Atomics.load(this.#last, 0)) / 1e6;
  }
}
