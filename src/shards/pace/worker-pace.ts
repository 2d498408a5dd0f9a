import type { Learned, SharedLimits, SharedPace } from '../../base/contract/shared-pace.ts';
import { PaceMember, type PaceMemberOptions } from './pace-member.ts';

/** How often a worker looks for workers that join or leave, and how often while it waits for its own share. */
const LOOK_MS = 500;
const JOIN_MS = 100;

/** The part of this process in the pace of all workers of a folder. */
export class WorkerPace implements SharedPace {
  readonly #member: PaceMember;
  #isIn = false;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(options: PaceMemberOptions) {
    this.#member = new PaceMember(options);
  }

  limits(now: number): SharedLimits {
    return this.#member.limits(now);
  }

  tell(learned: (now: number) => Learned): void {
    this.#member.tell(learned);
  }

  /**
   * Asks for a share, unless this worker has one. What has a limit waits until it is there.
   *
   * @throws RowcastError if the folder cannot be read or written to
   */
  async join(): Promise<void> {
    if (this.#isIn) return;
    this.#isIn = true;
    try {
      await this.#member.join();
    } catch (error) {
      await this.leave();
      throw error;
    }
    this.#schedule();
  }

  /** Leaves the share to the others. Nothing may be sent before this worker joins again. */
  async leave(): Promise<void> {
    if (!this.#isIn) return;
    this.#isIn = false;
    clearTimeout(this.#timer);
    await this.#looking;
    await this.#member.leave();
  }

  #schedule(): void {
    if (!this.#isIn) return;
    const look = (): void => {
      this.#looking = this.#member.look().then(() => this.#schedule());
    };
    this.#timer = setTimeout(look, this.#member.hasShare ? LOOK_MS : JOIN_MS).unref();
  }
}
