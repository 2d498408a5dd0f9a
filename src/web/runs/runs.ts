import type { Readable } from 'node:stream';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { RowcastError } from '../../base/errors.ts';
import type { RowCounts } from '../../scoring/row-counts.ts';
import { RequestError } from '../../server/problems/problems.ts';
import type { PlatformContext } from '../context.ts';
import { shownError } from '../errors/shown-error.ts';
import type { Space } from '../quota.ts';
import type { FileFormat } from '../recognize-upload.ts';
import { newTimedId } from '../stored-json.ts';
import { Watched } from '../watched.ts';
import { RunStore } from './run-store.ts';
import { type ScoreFileOptions, scoreFile } from './score-file.ts';
import { begin, runHints, type StoredProgress, type StoredRun } from './stored-run.ts';

/** After this time without its file, a run is forgotten. */
const WAIT_MS = 60_000;
/** Runs of one key that wait for their file or are going on. */
const MAX_ACTIVE = 20;
/** Runs of one key that are kept. */
const MAX_KEPT = 500;

/** A run that waits for its file or is going on in this process. */
interface Active {
  watched: Watched<StoredProgress>;
  stop: AbortController;
  forget: NodeJS.Timeout;
  /** Set once its file arrives; never rejects. */
  ended?: Promise<void>;
}

type RunUpload = Omit<ScoreFileOptions, 'store' | 'stored' | 'stop' | 'onFormat' | 'onStored'> & {
  body: Readable;
};

/** The scoring runs of the platform. */
export class Runs {
  readonly store: RunStore;
  readonly #log: FastifyBaseLogger;
  readonly #active = new Map<string, Active>();

  constructor(home: string, log: FastifyBaseLogger) {
    this.store = new RunStore(home);
    this.#log = log;
  }

  /**
   * Prepares a run, which waits for its file.
   *
   * @throws RequestError `too_many_runs`
   */
  async create(order: Omit<StoredRun, 'format' | 'id' | 'created_at'>): Promise<StoredProgress> {
    const { by } = order;
    const own = [...this.#active.values()].filter(({ watched }) => watched.value.by === by);
    if (own.length >= MAX_ACTIVE) throw tooManyRuns(`${own.length} runs of your key are going on`);
    const id = newTimedId();
    const run = begin({ format: 1, id, ...order, created_at: new Date().toISOString() });
    const forget = setTimeout(() => {
      this.#active.delete(id);
      active.watched.setFinal({ ...run, status: 'failed', problem: noFile });
    }, WAIT_MS).unref();
    const active: Active = { watched: new Watched(run), stop: new AbortController(), forget };
    // Before anything is awaited, so that of several at once none is overlooked.
    this.#active.set(id, active);
    const kept = (await this.store.list()).filter(stored => stored.by === by);
    if (kept.length + own.length < MAX_KEPT) return run;
    clearTimeout(forget);
    this.#active.delete(id);
    throw tooManyRuns(`${kept.length} runs of your key are kept`);
  }

  /** The current state of a run; undefined if no run has that id. */
  async watch(id: string): Promise<Watched<StoredProgress> | undefined> {
    const active = this.#active.get(id)?.watched;
    if (active !== undefined) return active;
    const run = await this.store.read(id);
    // Nothing more is known here about a run in another process; a later request finds out.
    return run && Watched.final(run);
  }

  /** All runs, the newest first. */
  async list(): Promise<StoredProgress[]> {
    const stored = await this.store.list();
    return stored.map(run => this.#active.get(run.id)?.watched.value ?? run);
  }

  /** Scores the file that a run waits for. @throws RequestError `run_begun` if it does not wait for one */
  async upload(id: string, { body, onProgress, ...options }: RunUpload): Promise<StoredProgress> {
    const active = this.#active.get(id);
    if (active === undefined || active.ended !== undefined)
      throw new RequestError('run_begun', 'The run has its file already. Start another run.');
    clearTimeout(active.forget);
    const { watched, stop } = active;
    const { store } = this;
    const { status, rows, bytes_out, seconds, finished_at, problem, ...stored } = watched.value;
    const started = performance.now();
    const onFormat = async (format: FileFormat): Promise<void> => {
      await store.write({ ...stored, file_format: format });
      watched.set({ ...watched.value, file_format: format });
    };
    const onStored = (): void => watched.set({ ...watched.value, status: 'running' });
    const watch = (rowCounts: RowCounts): void => {
      onProgress(rowCounts);
      watched.set({ ...watched.value, status: 'running', ...numbersOf(rowCounts, started) });
    };
    active.ended = (async () => {
      try {
        await store.create(stored);
        const own = { store, stored, stop: stop.signal, onFormat, onStored, onProgress: watch };
        const { failure, summary } = await scoreFile(body, { ...options, ...own });
        const { bytes_out, rows, seconds } = summary;
        this.#end(active, failure, { bytes_out, rows, seconds });
      } catch (failure) {
        this.#end(active, failure, {});
      }
    })();
    await active.ended;
    return watched.value;
  }

  /**
   * Stops a run if it is going on, and removes everything of it.
   *
   * @throws RequestError `not_running_here`
   */
  async remove(id: string): Promise<void> {
    const active = this.#active.get(id);
    if (active === undefined && isGoingOn(await this.store.read(id)))
      throw new RequestError(
        'not_running_here',
        'The run is going on in another process of the service: cancel it there.',
      );
    active?.stop.abort('the user');
    await active?.ended;
    clearTimeout(active?.forget);
    this.#active.delete(id);
    // Unless it has ended by itself: who watches it learns that nothing more comes.
    active?.watched.setFinal({ ...active.watched.value, status: 'failed', problem: wasDeleted });
    await this.store.remove(id);
  }

  /** Waits for the runs that are going on. */
  async settled(): Promise<void> {
    for (const { ended, forget } of this.#active.values()) {
      clearTimeout(forget);
      await ended;
    }
  }

  #end({ watched }: Active, failure: unknown, numbers: Partial<StoredProgress>): void {
    const run = { ...watched.value, ...numbers, finished_at: new Date().toISOString() };
    if (failure !== undefined && !(failure instanceof RowcastError || failure instanceof RequestError))
      this.#log.warn({ event: 'run_failed', err: failure }, `the run ${run.id} has failed`);
    const problem = failure === undefined ? null : shownError(failure, runHints);
    this.#active.delete(run.id);
    watched.setFinal({ ...run, status: problem === null ? 'finished' : 'failed', problem });
  }
}

const numbersOf = (
  { read, scored, rejected, rejectedBy, bytesOut }: RowCounts,
  started: number,
): Pick<StoredProgress, 'rows' | 'bytes_out' | 'seconds'> => ({
  rows: { read, scored, rejected, rejected_by: rejectedBy },
  bytes_out: bytesOut,
  seconds: (performance.now() - started) / 1000,
});

/** @param what how many there are */
const tooManyRuns = (what: string): RequestError =>
  new RequestError('too_many_runs', `${what}, which is the limit. Delete runs that you do not need.`);

const noFile = { code: 'request_timeout', message: 'The file did not arrive.', hint: 'Drop it again.' };
const wasDeleted = { code: 'no_such_run', message: 'The run was deleted.', hint: null };

const isGoingOn = (run: StoredProgress | undefined): boolean =>
  run?.status === 'running' || run?.status === 'waiting';

/** What the routes of runs share. */
export interface RunContext extends PlatformContext {
  runs: Runs;
  space: Space;
  /** The run that a request names. @throws RequestError `no_such_run`, also if its key may not see it */
  runOf(request: FastifyRequest): Promise<Watched<StoredProgress>>;
}
