import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { reportId } from '../base/contract/schemas.ts';
import { hasReport } from '../models/store/report-store.ts';
import { makeFolder } from '../storage/local/home-folder.ts';
import { lockOf } from '../storage/local/locks/lock-file.ts';
import { readLock } from '../storage/local/locks/lock-holder.ts';
import { takeLock } from '../storage/local/locks/output-lock.ts';
import { readMany } from '../storage/local/read-files.ts';
import { placeJson, readJson, timedId, timedIds } from './stored-json.ts';

/** Why a training ended without a report. */
const problem = z.object({ code: z.string(), message: z.string(), hint: z.string().nullable() });

const trainingState = z.object({
  format: z.literal(1),
  id: timedId,
  /** The name of the key that started it. */
  by: z.string(),
  /** The uploaded data, which may have been deleted since. */
  data: z.object({ id: z.string(), name: z.string() }),
  column: z.string(),
  report: reportId,
  /** `running` in a file means that it was running when the file was written. */
  status: z.enum(['running', 'finished', 'failed', 'cancelled', 'interrupted']),
  started_at: z.string(),
  /** Null while it is running, and if nobody knows. */
  finished_at: z.string().nullable(),
  problem: problem.nullable(),
});
export type TrainingState = z.infer<typeof trainingState>;

/** A training and what it is doing. */
export interface TrainingProgress extends TrainingState {
  /** What it is doing, in a few words; null unless it is running in this process. */
  step: string | null;
  /** How many of the steps it has begun, of `STAGES`. */
  stage: number;
}

/** The beginnings of what training tells about its steps, in their order (`training/fit.ts`). */
const stages = ['reading', 'comparing', 'training on 80', 'measuring', 'training on all'];
export const STAGES = stages.length;

/** The progress of a running training that has begun a step. */
export function atStep(state: TrainingState, step: string): TrainingProgress {
  return { ...state, step, stage: stages.findIndex(beginning => step.startsWith(beginning)) + 1 };
}

/** A training of which nothing more is known: it has ended, or runs in another process. */
export const withoutStep = (state: TrainingState): TrainingProgress => ({ ...state, step: null, stage: 0 });

/** For those who cannot use the options that hints of the command line name. */
export const trainingHints: Readonly<Record<string, string>> = {
  numeric_target:
    'Predict the number, or ranges of it. If the numbers are codes of classes, add a letter, such as c12.',
  too_many_classes:
    'Merge rare classes in the file and upload it again. Numbers can be predicted as such, or divided into ranges.',
  not_numbers: 'Predict the values as classes.',
  report_exists: 'Choose another report ID, or choose to replace the report.',
  out_of_memory:
    'Exclude columns that do not matter, or give the service more memory, in MB: NODE_OPTIONS=--max-old-space-size=8192.',
  disk_full: 'The disk of the service is full. Free some space, then try again.',
  unwritable_home: 'Check the disk and the permissions of the folder that the service uses.',
};

/** The most trainings that are remembered, besides those of reports that exist. */
const MAX_KEPT = 50;

/**
 * The trainings of a data directory: `<home>/trainings/<id>.json`, one file per training, and a lock that the process
 * of a running training holds. So a training that was killed can be distinguished from one that another service is running.
 */
export class TrainingStore {
  readonly #home: string;
  readonly #folder: string;
  readonly #lock: string;

  constructor(home: string) {
    this.#home = home;
    this.#folder = join(home, 'trainings');
    this.#lock = lockOf(join(this.#folder, 'running'));
  }

  /**
   * Takes the right to train.
   *
   * @returns a function that returns it
   * @throws RowcastError `locked` if another process is training
   */
  async lock(id: string): Promise<() => Promise<void>> {
    await makeFolder(this.#folder);
    const { release } = await takeLock(this.#lock, this.#folder, id);
    return release;
  }

  /** The training that some process is running. */
  async running(): Promise<TrainingState | undefined> {
    const found = await readLock(this.#lock);
    return found?.isHeld && found.output !== undefined ? this.#read(found.output) : undefined;
  }

  async write(state: TrainingState): Promise<void> {
    await placeJson(this.#path(state.id), state);
  }

  /** The training with that id, if it exists. A training whose process was killed is interrupted. */
  async read(id: string): Promise<TrainingState | undefined> {
    const state = await this.#read(id);
    if (state?.status !== 'running' || (await this.#isHeldBy(id))) return state;
    // The training may have ended after its state was read, and then the lock was released.
    const now = await this.#read(id);
    return now?.status === 'running' ? { ...now, status: 'interrupted' } : now;
  }

  /** All trainings, the newest first. */
  async list(): Promise<TrainingState[]> {
    const states = await readMany(await timedIds(this.#folder, '.json'), id => this.read(id));
    return states.filter(state => state !== undefined);
  }

  /** Forgets the oldest, but not the last training of a report that exists: it tells whose report it is. */
  async prune(): Promise<void> {
    const trained = new Set<string>();
    for (const [index, { id, status, report }] of (await this.list()).entries()) {
      const isLast = status === 'finished' && !trained.has(report);
      if (isLast) trained.add(report);
      if (index >= MAX_KEPT && !(isLast && (await hasReport(this.#home, report))))
        await rm(this.#path(id), { force: true });
    }
  }

  async #isHeldBy(id: string): Promise<boolean> {
    const found = await readLock(this.#lock);
    return found?.isHeld === true && found.output === id;
  }

  async #read(id: string): Promise<TrainingState | undefined> {
    return timedId.safeParse(id).success ? readJson(this.#path(id), trainingState) : undefined;
  }

  /** The id is valid, so this is a path in the folder. */
  #path(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}
