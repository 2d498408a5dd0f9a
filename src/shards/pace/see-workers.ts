import { RowcastError } from '../../errors.ts';
import { processIsGone } from '../../storage/local/locks/lock-holder.ts';
import { workerName, workerOf } from '../folder/names.ts';
import { readRecord } from '../folder/read-plan.ts';
import type { SharedFolder } from '../folder/shared-folder.ts';
import { LEASE_MS } from '../work/next-attempt.ts';
import { type SeenWorker, type WorkerFile, workerShape } from './worker-shape.ts';

/** A worker whose file was damaged, by a power loss for example. It goes like one that is dead, unless it writes another. */
const DAMAGED: WorkerFile = {
  ...{ beat: 0, entry: 0, pid: 0, started: '', realm: '' },
  ...{ requests: null, rows: null, learned: null, counted: {} },
};

/** The workers of a run that have a file. */
export async function workersIn(folder: SharedFolder): Promise<string[]> {
  return (await folder.list('workers')).flatMap(name => workerOf(name) ?? []);
}

/** What one worker has seen of the others. */
export class WorkerWatch {
  readonly #folder: SharedFolder;
  readonly #clock: () => number;
  #seen = new Map<string, SeenWorker>();

  constructor(folder: SharedFolder, clock: () => number) {
    this.#folder = folder;
    this.#clock = clock;
  }

  /**
   * Reads the files of workers. One that is dead is removed: its process has ended, or was silent for so long that it
   * sends nothing before it has asked for a share again.
   *
   * @param isSelfAlive whether the others do not take this worker for dead: if they did, they might have given one that
   *   seemed dead a share again in the meantime
   * @returns those that are alive
   */
  async read(ids: readonly string[], isSelfAlive: () => boolean): Promise<SeenWorker[]> {
    const seen = new Map<string, SeenWorker>();
    for (const id of ids) {
      const asked = this.#clock();
      const file = await readRecord(this.#folder, workerName(id), workerShape).catch(unlessDamaged);
      if (file === undefined) continue;
      const last = this.#seen.get(id);
      const seenAt = last?.beat === file.beat ? last.seenAt : this.#clock();
      // A heartbeat may have come while the answer was on its way.
      if (asked - seenAt < LEASE_MS && !processIsGone(file)) seen.set(id, { ...file, id, seenAt });
      else if (isSelfAlive()) await this.#folder.remove(workerName(id));
    }
    this.#seen = seen;
    return [...seen.values()];
  }
}

function unlessDamaged(error: unknown): WorkerFile {
  if (error instanceof RowcastError && error.code === 'bad_plan') return DAMAGED;
  throw error;
}
