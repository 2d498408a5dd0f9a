import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RowcastError } from '../../base/errors.ts';
import { Interrupted } from '../../base/interrupted.ts';
import { schemeOf } from '../../base/scheme.ts';
import type { Backends } from '../../storage/backends.ts';
import { unlessMissing } from '../../storage/local/missing.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import { unwritable } from '../../storage/target.ts';
import { openFolder, PLAN } from '../folder/names.ts';
import { readLeft, readPlan } from '../folder/read-run.ts';
import { LeaseWatch } from '../work/see-attempts.ts';
import type { QueuedRun } from './shard-queue.ts';

/** When a worker tries a run again on which it could not work. */
const AGAIN_MS = 60_000;

/**
 * A run whose folder is not there is forgotten this long after its command was last heard of. Clocks may differ, and
 * machines may not see the folder, so this is long; a command that is running announces its run again and again.
 */
const FORGOTTEN_MS = 24 * 3_600_000;

interface KnownRun {
  folder: SharedFolder;
  watch: LeaseWatch;
  /** The device of its folder, once its plan was seen. */
  device: number | undefined;
  refusal?: { error: RowcastError; at: number };
}

/** What a worker knows of the runs of a queue. */
export class KnownRuns {
  readonly #known = new Map<string, KnownRun>();
  readonly #among: Backends | undefined;

  /** @param among backends of the names of the folders, if not the default ones */
  constructor(among?: Backends) {
    this.#among = among;
  }

  of({ key, folder }: QueuedRun): KnownRun {
    const known = this.#known.get(key) ?? newRun(openFolder(folder, this.#among));
    this.#known.set(key, known);
    return known;
  }

  /**
   * Forgets the runs that are over, whose leases a worker need not remember for months. @param runs those of the queue
   */
  keep(runs: readonly QueuedRun[]): void {
    const keys = new Set(runs.map(({ key }) => key));
    for (const [key, { refusal }] of this.#known)
      if (refusal === undefined && !keys.has(key)) this.#known.delete(key);
  }

  /** The first error that keeps this worker from a run. */
  get refusal(): RowcastError | undefined {
    return [...this.#known.values()].find(({ refusal }) => refusal !== undefined)?.refusal?.error;
  }

  /**
   * Whether a run has shards left that this worker may score.
   *
   * @throws RowcastError `no_plan` if this machine does not see its folder; `bad_plan`
   */
  async hasWork(run: QueuedRun): Promise<boolean> {
    const known = this.of(run);
    if (known.refusal !== undefined && performance.now() - known.refusal.at < AGAIN_MS) return false;
    const plan = await readPlan(known.folder);
    if (plan.id !== run.plan)
      throw new RowcastError('no_plan', 'the folder has the plan of another run', {
        location: { file: run.folder },
        hint: 'All machines must see the same folder at this path.',
      });
    known.device ??= await deviceOf(run.folder);
    const { isOver } = await readLeft(known.folder);
    return !isOver;
  }

  /**
   * Whether the folder of a run was there, and is no longer; or nobody has asked for it for long. A folder on a disk
   * that this machine has lost is not removed: an empty mount point is on another device.
   */
  async isRemoved(run: QueuedRun): Promise<boolean> {
    const { folder, device } = this.of(run);
    const isForgotten = Date.now() - run.announced > FORGOTTEN_MS;
    if ((await folder.read(PLAN).catch(() => '')) !== undefined) return false;
    return isForgotten || (device !== undefined && device === (await deviceOf(run.folder)));
  }

  /** Notes that this worker can work on a run. */
  accept(run: QueuedRun): void {
    delete this.of(run).refusal;
  }

  /**
   * Notes that this worker cannot work on a run for now.
   *
   * @returns the error, and whether it is not the last one again
   * @throws the error if it does not concern the run
   */
  refuse(run: QueuedRun, error: unknown): { refusal: RowcastError; isNew: boolean } {
    if (error instanceof Interrupted) throw error;
    const known = this.of(run);
    const refusal = refusalOf(error, run);
    const isNew = known.refusal?.error.code !== refusal.code;
    known.refusal = { error: refusal, at: performance.now() };
    return { refusal, isNew };
  }
}

const newRun = (folder: SharedFolder): KnownRun => ({
  folder,
  watch: new LeaseWatch(folder),
  device: undefined,
});

/** The device of a folder, or where it was; undefined if neither can be seen. A store that responds is there. */
async function deviceOf(folder: string): Promise<number | undefined> {
  if (schemeOf(folder) !== undefined) return 0;
  const found = await stat(folder)
    .catch(unlessMissing)
    .then(own => own ?? stat(dirname(folder)))
    .catch(() => undefined);
  return found?.dev;
}

function refusalOf(error: unknown, { folder }: QueuedRun): RowcastError {
  if (error instanceof RowcastError) return error;
  // An error of fs.
  if (!(error instanceof Error && 'syscall' in error)) throw error;
  return unwritable(folder, error);
}
