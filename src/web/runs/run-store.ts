import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type * as z from 'zod';
import { type Evaluation, evaluationShape } from '../../evaluate/evaluation.ts';
import { type RunFiles, runFilesOf } from '../../runs/paths/run-files.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import { makeFolder } from '../../storage/local/home-folder.ts';
import { holderOf } from '../../storage/local/locks/output-lock.ts';
import { unlessMissing } from '../../storage/local/missing.ts';
import { readMany } from '../../storage/local/read-files.ts';
import { shownStoredError } from '../errors/shown-error.ts';
import { type DiskQuota, Space, sizeOfFolder } from '../quota.ts';
import { placeJson, readJson, timedId, timedIds } from '../stored-json.ts';
import { begin, runHints, runSummary, type StoredProgress, type StoredRun, storedRun } from './stored-run.ts';

/** The name of the output in a run's folder. It has no suffix, so its format is that of the input. */
const OUTPUT = 'output';
/** The uploaded file, if it had to be stored before it could be read. */
const INPUT = 'input';
const EVALUATION = 'evaluation.json';
/** A folder without a run is that of one that is just beginning, unless it is older than this. */
const STARTING_MS = 60_000;

/**
 * The runs of a data directory: `<home>/runs/<id>/` with `run.json`, `summary.json`, and the files of any scoring run
 * next to `output`, of which the lock tells whether the run is still going on.
 */
export class RunStore {
  readonly #folder: string;

  constructor(home: string) {
    this.#folder = join(home, 'runs');
  }

  /** The files of a run. The id must be valid. */
  files(id: string): RunFiles {
    return runFilesOf(join(this.#folder, id, OUTPUT));
  }

  /** Where the uploaded file of a run is while it is scored, if it has to be stored. */
  inputOf(id: string): string {
    return join(this.#folder, id, INPUT);
  }

  async create(record: StoredRun): Promise<void> {
    await makeFolder(join(this.#folder, record.id));
    await this.write(record);
  }

  /** Writes what is known of a run. */
  async write(record: StoredRun): Promise<void> {
    await placeJson(join(this.#folder, record.id, 'run.json'), record);
  }

  async writeSummary(id: string, summary: Summary): Promise<void> {
    await placeJson(join(this.#folder, id, 'summary.json'), summary);
  }

  /** Keeps whether the predictions of a run came true. */
  async writeEvaluation(id: string, evaluation: Evaluation): Promise<void> {
    await placeJson(join(this.#folder, id, EVALUATION), evaluation);
  }

  readEvaluation(id: string): Promise<Evaluation | undefined> {
    return this.#read(id, EVALUATION, evaluationShape);
  }

  /** A run that has ended or is running in another process; undefined if no run has that id. */
  async read(id: string): Promise<StoredProgress | undefined> {
    const record = await this.#read(id, 'run.json', storedRun);
    if (record === undefined) return undefined;
    const held = await holderOf(this.files(id).lock);
    const summary = await this.#read(id, 'summary.json', runSummary);
    const progress = begin(record);
    if (summary === undefined) return { ...progress, status: held === undefined ? 'interrupted' : 'waiting' };
    const { status, error, ...numbers } = summary;
    return {
      ...progress,
      ...numbers,
      status: statusOf(status, held !== undefined),
      problem: error && shownStoredError(error, runHints),
    };
  }

  /** All runs, the newest first. */
  async list(): Promise<StoredProgress[]> {
    const runs = await readMany(await this.ids(), id => this.read(id));
    return runs.filter(run => run !== undefined);
  }

  ids(): Promise<string[]> {
    return timedIds(this.#folder);
  }

  /** Removes what a run that failed has stored and written: nobody may take its output for complete. */
  async removeFiles(id: string): Promise<void> {
    const { partial, output, rejects, rejectsPartial, checkpoint, newCheckpoint } = this.files(id);
    const input = this.inputOf(id);
    for (const path of [input, partial, output, rejects, rejectsPartial, checkpoint, newCheckpoint])
      await rm(path, { force: true });
  }

  /** Bytes that a run takes up on the disk. */
  size(id: string): Promise<number> {
    return sizeOfFolder(join(this.#folder, id));
  }

  /** Removes a folder whose run was not written before its process was killed; one that is new may get it yet. */
  async removeLeft(id: string): Promise<void> {
    const folder = await stat(join(this.#folder, id)).catch(unlessMissing);
    const isNew = folder === undefined || Date.now() - folder.mtimeMs < STARTING_MS;
    if (!isNew && (await holderOf(this.files(id).lock)) === undefined) await this.remove(id);
  }

  async remove(id: string): Promise<void> {
    await rm(join(this.#folder, id), { recursive: true, force: true });
  }

  async #read<T>(id: string, name: string, shape: z.ZodType<T>): Promise<T | undefined> {
    return timedId.safeParse(id).success ? readJson(join(this.#folder, id, name), shape) : undefined;
  }
}

function statusOf(status: Summary['status'], isHeld: boolean): StoredProgress['status'] {
  if (status === 'running') return isHeld ? 'running' : 'interrupted';
  return status === 'stopped' || status === 'refused' ? 'failed' : 'finished';
}

/** Removes what runs left whose process was killed, and counts the others. */
export async function countRuns(store: RunStore, quota: DiskQuota): Promise<Space> {
  const space = new Space(quota, 'The output');
  for (const id of await store.ids()) {
    const run = await store.read(id);
    if (run === undefined) await store.removeLeft(id);
    else {
      if (run.status === 'interrupted') await store.removeFiles(id);
      space.begin(id, run.by);
      space.set(id, await store.size(id));
    }
  }
  return space;
}
