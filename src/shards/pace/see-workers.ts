import * as z from 'zod';
import type { Learned } from '../../base/contract/shared-pace.ts';
import { processIsGone } from '../../storage/local/locks/lock-holder.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import { workerName, workerOf } from '../folder/names.ts';
import { HEARTBEAT_MS, LEASE_MS } from '../folder/next-attempt.ts';
import { isDamage, readOnce } from '../folder/read-record.ts';

const learnedShape: z.ZodType<Learned> = z.strictObject({
  rate: z.strictObject({ limit: z.number(), plateau: z.number(), age: z.number() }).nullable(),
  advertised: z.strictObject({ rate: z.number(), seconds: z.number().nullable() }).nullable(),
  pause: z.number(),
  accepted: z.number(),
});

/** What a worker tells the others that share its pace. */
const workerShape = z.strictObject({
  /** Increases with each heartbeat. */
  beat: z.number(),
  /** Increases each time that the worker asks for a share anew. */
  entry: z.number(),
  /** Who it is: see `lock-holder.ts`. */
  pid: z.number(),
  started: z.string(),
  realm: z.string(),
  /** Requests and rows per second that it was given as limits, with all others; null: no limit. */
  requests: z.number().nullable(),
  rows: z.number().nullable(),
  learned: learnedShape.nullable(),
  /** The workers for which it has reduced its share: id → entry. */
  counted: z.record(z.string(), z.number()),
});
export type WorkerFile = z.infer<typeof workerShape>;

/** Another worker, as one sees it. */
export interface SeenWorker extends WorkerFile {
  id: string;
  /** When this heartbeat was first seen, from `performance.now()`. */
  seenAt: number;
  /** When its file was read last. */
  readAt: number;
}

/** A worker whose file was damaged before it was read. It goes like one that is dead, unless it writes another. */
const DAMAGED: WorkerFile = {
  beat: 0,
  entry: 0,
  pid: 0,
  started: '',
  realm: '',
  requests: null,
  rows: null,
  learned: null,
  counted: {},
};

/** The workers of a run that have a file. */
export async function workersIn(folder: SharedFolder): Promise<string[]> {
  return (await folder.list('workers')).flatMap(name => workerOf(name) ?? []);
}

/**
 * The most files that one look reads, so that a worker reads no more however many workers there are. With two looks a
 * second, that is 20 files, and 100 workers learn of each other's changes within 5 s.
 */
const MAX_READS = 10;

/** What one worker has seen of the others. */
export class WorkerWatch {
  readonly #folder: SharedFolder;
  readonly #clock: () => number;
  readonly #seen = new Map<string, SeenWorker>();

  constructor(folder: SharedFolder, clock: () => number) {
    this.#folder = folder;
    this.#clock = clock;
  }

  /**
   * Reads the files of some workers: first of those that are new, then of those that were not read for the longest
   * time. One that is dead is removed: its process has ended, or was silent for so long that it sends nothing before it
   * has asked for a share again.
   *
   * @param ids of all others
   * @param options.isAwaited whether to read the file of a worker before its next heartbeat is due
   * @param options.isSelfAlive whether the others do not take this worker for dead: if they did, they might have given
   *   one that seemed dead a share again in the meantime
   * @returns those that are alive; not those whose files it has not read yet
   */
  async look(
    ids: readonly string[],
    { isAwaited, isSelfAlive }: { isAwaited: (seen: SeenWorker) => boolean; isSelfAlive: () => boolean },
  ): Promise<SeenWorker[]> {
    const listed = new Set(ids);
    for (const id of this.#seen.keys()) if (!listed.has(id)) this.#seen.delete(id);
    const now = this.#clock();
    const readAt = (id: string): number => this.#seen.get(id)?.readAt ?? Number.NEGATIVE_INFINITY;
    const isDue = (id: string): boolean => {
      const seen = this.#seen.get(id);
      return seen === undefined || now - seen.readAt >= HEARTBEAT_MS || isAwaited(seen);
    };
    const due = ids.filter(isDue).sort((a, b) => readAt(a) - readAt(b));
    const reads = await Promise.allSettled(due.slice(0, MAX_READS).map(id => this.#read(id, isSelfAlive)));
    const failed = reads.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    return [...this.#seen.values()];
  }

  async #read(id: string, isSelfAlive: () => boolean): Promise<void> {
    const asked = this.#clock();
    const last = this.#seen.get(id);
    const file = await this.#fileOf(id, last);
    this.#seen.delete(id);
    if (file === undefined) return;
    const seenAt = last?.beat === file.beat ? last.seenAt : this.#clock();
    // A heartbeat may have come while the answer was on its way.
    if (asked - seenAt < LEASE_MS && !processIsGone(file))
      this.#seen.set(id, { ...file, id, seenAt, readAt: asked });
    else if (isSelfAlive()) await this.#folder.remove(workerName(id));
  }

  /**
   * If it is damaged, what it said before, with a heartbeat that it has only then: the damage may have followed one that
   * nobody has read. Without a new one, its worker is soon taken for dead.
   */
  async #fileOf(id: string, last: SeenWorker | undefined): Promise<WorkerFile | undefined> {
    try {
      return await readOnce(this.#folder, workerName(id), workerShape);
    } catch (error) {
      if (isDamage(error)) return { ...DAMAGED, ...last, beat: DAMAGED.beat };
      throw error;
    }
  }
}
