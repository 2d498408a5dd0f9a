import { isDeepStrictEqual } from 'node:util';
import { type Learned, rateOf, type SharedLimits, type SharedPace } from '../../base/contract/shared-pace.ts';
import { isMissing } from '../../storage/local/missing.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import { workerName } from '../folder/names.ts';
import { HEARTBEAT_MS, LEASE_MS } from '../folder/next-attempt.ts';
import type { LeaseHolder } from '../folder/result-shape.ts';
import { type SeenWorker, type WorkerFile, WorkerWatch, workersIn } from './see-workers.ts';

/** The limits that a worker was given itself. */
export type GivenLimits = Pick<WorkerFile, 'requests' | 'rows'>;

const lowest = (values: readonly (number | null | undefined)[]): number =>
  Math.min(...values.map(value => value ?? Number.POSITIVE_INFINITY));

/**
 * The limits that workers divide, as one of them knows them: what others have learned, and the lowest that any was
 * given.
 *
 * @param others those that are alive
 * @returns all but the share of this worker
 */
function knownLimits(
  own: GivenLimits,
  others: readonly SeenWorker[],
  now: number,
): Omit<SharedLimits, 'share'> {
  const learned = others.map(({ learned, seenAt }) => {
    const elapsed = now - seenAt;
    const { rate, advertised, pause = 0, accepted = 0 } = learned ?? {};
    const isOver = (advertised?.seconds ?? Number.POSITIVE_INFINITY) * 1000 < elapsed;
    return {
      rate: rate && rateOf({ ...rate, age: rate.age + elapsed }),
      advertised: isOver ? null : advertised?.rate,
      pausedUntil: seenAt + pause,
      accepted,
    };
  });
  return {
    requests: lowest([...[own, ...others].map(each => each.requests), ...learned.map(each => each.rate)]),
    rows: lowest([own, ...others].map(each => each.rows)),
    advertised: lowest(learned.map(each => each.advertised)),
    pausedUntil: Math.max(0, ...learned.map(each => each.pausedUntil)),
    accepted: learned.reduce((sum, each) => sum + each.accepted, 0),
  };
}

/** Whether all others have reduced their shares for a worker. */
const isCounted = (id: string, entry: number, others: readonly SeenWorker[]): boolean =>
  others.every(({ counted }) => counted[id] === entry);

/** A worker that could not send heartbeats stops sending this long before the others divide its share. */
const MARGIN_MS = 1_000;

export interface PaceMemberOptions {
  folder: SharedFolder;
  /** Tells the workers of a run apart. */
  worker: string;
  /** See `thisProcess`. */
  process: Pick<LeaseHolder, 'pid' | 'started' | 'realm'>;
  given: GivenLimits;
  /** `performance.now`, unless time passes otherwise. */
  clock?: () => number;
}

/**
 * One of the workers of a folder that keep one pace. Each has the same share of the lowest limit that any of them
 * knows. A worker tells with its heartbeat for which others it has reduced its share, and sends nothing before all
 * others have done so for it; who stops leaves its share to the others, and who dies does when its lease is over. So
 * the shares never exceed the whole, whatever the order in which workers read and write. Clocks are not compared.
 */
export class PaceMember implements SharedPace {
  readonly #options: PaceMemberOptions;
  readonly #clock: () => number;
  readonly #watch: WorkerWatch;
  #others: readonly SeenWorker[] = [];
  #entry = 0;
  #beat = 0;
  #hasShare = false;
  /** Whether there is no run any more, in whose folder to write. */
  #isOver = false;
  /** When the last heartbeat began. */
  #beatAt = Number.NEGATIVE_INFINITY;
  #written: Pick<WorkerFile, 'counted' | 'entry'> | undefined;
  #learned: (now: number) => Learned | null = () => null;

  constructor(options: PaceMemberOptions) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
    this.#watch = new WorkerWatch(options.folder, this.#clock);
  }

  limits(now: number): SharedLimits {
    const known = knownLimits(this.#options.given, this.#others, now);
    const isLimited = [known.requests, known.rows, known.advertised].some(Number.isFinite);
    const mayAct = this.#isOver || !isLimited || (this.#hasShare && !this.#isSilent(now));
    return { ...known, share: mayAct ? 1 / (1 + this.#others.length) : 0 };
  }

  tell(learned: (now: number) => Learned): void {
    this.#learned = learned;
  }

  /** Whether the others have reduced their shares for this worker. */
  get hasShare(): boolean {
    return this.#hasShare;
  }

  /**
   * Asks for a share. It is there after some looks; until then, nothing is sent that has a limit.
   *
   * @throws RowcastError if the folder cannot be read or written to, because the share would never be there
   */
  async join(): Promise<void> {
    this.#beatAt = this.#clock();
    this.#enter();
    await this.#see();
  }

  /**
   * Leaves the share to the others. Nothing may be sent before this worker joins again, and it must not look either.
   */
  async leave(): Promise<void> {
    this.#hasShare = false;
    if (!this.#isOver) await this.#options.folder.remove(workerName(this.#options.worker)).catch(() => {}); // it expires
  }

  /** Looks at the other workers, and tells them about this one. To be called at intervals. */
  async look(): Promise<void> {
    await this.#see().catch(() => {}); // it may pass: without heartbeats, the share ends
  }

  /** @throws RowcastError if the folder cannot be read or written to */
  async #see(): Promise<void> {
    const { folder, worker } = this.#options;
    try {
      if (this.#written?.entry !== this.#entry) await this.#write();
      const ids = await workersIn(folder);
      if (!ids.includes(worker)) return this.#enter();
      this.#others = await this.#watch.look(
        ids.filter(id => id !== worker),
        {
          isAwaited: ({ counted }) => !this.#hasShare && counted[worker] !== this.#entry,
          isSelfAlive: () => !this.#isSilent(this.#clock()),
        },
      );
      const isDue = this.#clock() - this.#beatAt >= HEARTBEAT_MS;
      if (isDue || !isDeepStrictEqual(this.#counted, this.#written?.counted)) await this.#write();
      const hasSeenAll = this.#others.length === ids.length - 1;
      if (hasSeenAll && this.#written?.entry === this.#entry && isCounted(worker, this.#entry, this.#others))
        this.#hasShare = true;
    } catch (cause) {
      if (!isMissing(cause)) throw cause;
      // The run is assembled or discarded; what is still sent is not used.
      this.#isOver = true;
    }
  }

  /** Asks for a share anew: that others have reduced theirs for the former entry no longer counts. */
  #enter(): void {
    this.#entry++;
    this.#hasShare = false;
  }

  /** Whether the others may take this worker for dead. */
  #isSilent(now: number): boolean {
    return now - this.#beatAt >= LEASE_MS - MARGIN_MS;
  }

  get #counted(): Record<string, number> {
    return Object.fromEntries(this.#others.map(({ id, entry }) => [id, entry]));
  }

  async #write(): Promise<void> {
    const { folder, worker, process, given } = this.#options;
    const now = this.#clock();
    if (this.#isSilent(now)) this.#enter();
    const { pid, started, realm } = process;
    const own = { entry: this.#entry, counted: this.#counted };
    const file: WorkerFile = {
      beat: ++this.#beat,
      pid,
      started,
      realm,
      ...given,
      ...own,
      learned: this.#learned(now),
    };
    await folder.replace(workerName(worker), JSON.stringify(file));
    // The heartbeat may have come too late: the others may have divided its share.
    if (this.#isSilent(this.#clock())) this.#enter();
    this.#beatAt = now;
    this.#written = own;
  }
}

/** How often a worker looks for workers that join or leave, and how often while it waits for its own share. */
const LOOK_MS = 500;
const JOIN_MS = 100;

/** The part of this process in the pace of all workers of a folder: it looks at the others at intervals. */
export class WorkerPace extends PaceMember {
  #isIn = false;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  /**
   * Asks for a share, unless this worker has one. What has a limit waits until it is there.
   *
   * @throws RowcastError if the folder cannot be read or written to
   */
  override async join(): Promise<void> {
    if (this.#isIn) return;
    this.#isIn = true;
    try {
      await super.join();
    } catch (error) {
      await this.leave();
      throw error;
    }
    this.#schedule();
  }

  /** Leaves the share to the others. Nothing may be sent before this worker joins again. */
  override async leave(): Promise<void> {
    if (!this.#isIn) return;
    this.#isIn = false;
    clearTimeout(this.#timer);
    await this.#looking;
    await super.leave();
  }

  #schedule(): void {
    if (!this.#isIn) return;
    const look = (): void => {
      this.#looking = this.look().then(() => this.#schedule());
    };
    this.#timer = setTimeout(look, this.hasShare ? LOOK_MS : JOIN_MS).unref();
  }
}
