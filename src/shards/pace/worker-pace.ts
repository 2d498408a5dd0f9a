import type { Learned, SharedLimits, SharedPace } from '../../base/contract/shared-pace.ts';
import { type Budget, takeSlot } from '../budget/take-slot.ts';
import { PaceMember, type PaceMemberOptions } from './pace-member.ts';
import type { GivenLimits } from './shared-limits.ts';

/** How often a worker looks for workers that join or leave, and how often while it waits for its own share. */
const LOOK_MS = 500;
const JOIN_MS = 100;

export interface WorkerPaceOptions extends Omit<PaceMemberOptions, 'given'> {
  given: Omit<GivenLimits, 'isCounting'>;
  /** Counts what all workers send, for limits that were given; by default each worker has its share of them. */
  reserve?: Budget['reserve'] | undefined;
}

/** The part of this process in the pace of all workers of a folder. */
export class WorkerPace implements SharedPace {
  readonly take?: NonNullable<SharedPace['take']>;
  readonly #member: PaceMember;
  #isIn = false;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor({ given, reserve, ...options }: WorkerPaceOptions) {
    const member = new PaceMember({ ...options, given: { ...given, isCounting: reserve !== undefined } });
    this.#member = member;
    if (reserve === undefined) return;
    const budget: Budget = { rates: () => member.given, reserve };
    this.take = (rows, signal) => takeSlot(budget, rows, signal);
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
