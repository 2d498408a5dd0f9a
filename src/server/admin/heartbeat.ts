/** How often the monitored thread updates its heartbeat. */
const BEAT_MS = 100;

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
    const beat = (): void => {
      Atomics.store(this.#last, 0, process.hrtime.bigint());
    };
    beat();
    const timer = setInterval(beat, BEAT_MS).unref();
    return () => clearInterval(timer);
  }

  /** Milliseconds since the last beat. The clock is the same in all threads and stops while the machine sleeps. */
  silence(): number {
    return Number(process.hrtime.bigint() - Atomics.load(this.#last, 0)) / 1e6;
  }
}
