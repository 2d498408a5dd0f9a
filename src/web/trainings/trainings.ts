import type { FastifyBaseLogger } from 'fastify';
import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import { reportFolder } from '../../models/store/report-version.ts';
import { RequestError } from '../../server/problems/problems.ts';
import { trainReport } from '../../training/train.ts';
import type { TrainingOptions } from '../../training/train-options.ts';
import { shownError } from '../errors/shown-error.ts';
import { type DiskQuota, Space, sizeOfFolder } from '../quota.ts';
import { newTimedId } from '../stored-json.ts';
import {
  atStep,
  type TrainingProgress,
  type TrainingState,
  TrainingStore,
  trainingHints,
  withoutStep,
} from '../training-store.ts';
import { Watched } from '../watched.ts';

export interface TrainingOrder {
  data: TrainingState['data'];
  options: Omit<TrainingOptions, 'home' | 'onSkip' | 'onStep' | 'signal'> & { id: string };
  /** The name of the key. */
  by: string;
  /** Called when a training that was started has ended. */
  onEnd?(state: TrainingState): void | Promise<void>;
}

/** Why a training is aborted. */
class Ending extends Error {
  readonly status: 'cancelled' | 'interrupted';
  constructor(status: Ending['status']) {
    super(status);
    this.status = status;
  }
}

interface Running {
  watched: Watched<TrainingProgress>;
  abort: AbortController;
  /** Set once it has begun; never rejects. */
  ended?: Promise<void>;
}

/**
 * The trainings of the platform: one at a time, because each uses all the memory and time of the machine that it can
 * get.
 */
export class Trainings {
  readonly #home: string;
  readonly #log: FastifyBaseLogger;
  readonly #store: TrainingStore;
  #running: Running | undefined;

  constructor(home: string, log: FastifyBaseLogger) {
    this.#home = home;
    this.#log = log;
    this.#store = new TrainingStore(home);
  }

  /**
   * Starts a training.
   *
   * @throws RequestError `training_running`, which says what is running
   */
  async start({ data, options, by, onEnd = () => {} }: TrainingOrder): Promise<TrainingState> {
    // Without waiting in between, so that of two that start at once only one does.
    if (this.#running !== undefined) throw alreadyRunning(this.#running.watched.value);
    const state: TrainingState = {
      format: 1,
      id: newTimedId(),
      by,
      data,
      column: options.predict,
      report: options.id,
      status: 'running',
      started_at: new Date().toISOString(),
      finished_at: null,
      problem: null,
    };
    const running: Running = {
      watched: new Watched<TrainingProgress>(atStep(state, 'reading')),
      abort: new AbortController(),
    };
    this.#running = running;
    try {
      const release = await this.#lock(state.id);
      await this.#store.write(state).catch(async error => {
        await release();
        throw error;
      });
      running.ended = this.#run(running, state, options, release)
        .then(() => onEnd(running.watched.value))
        .catch(error =>
          this.#log.error({ event: 'training_failed', err: error }, `after training ${state.id}`),
        );
      return state;
    } catch (error) {
      this.#running = undefined;
      throw error;
    }
  }

  /** The progress of the training with that id, if it exists. */
  async watch(id: string): Promise<Watched<TrainingProgress> | undefined> {
    const running = this.#running?.watched;
    if (running?.value.id === id) return running;
    const state = await this.#store.read(id);
    // Nothing more is known here about a training in another process; a later request finds out.
    return state && Watched.final(withoutStep(state));
  }

  /** The running training, in whatever process. */
  async current(): Promise<TrainingState | undefined> {
    return this.#running?.watched.value ?? (await this.#store.running());
  }

  /** Cancels a training of this process and waits for its end. @returns false if it is not running */
  async cancel(id: string): Promise<boolean> {
    const running = this.#running;
    if (running?.watched.value.id !== id) return false;
    running.abort.abort(new Ending('cancelled'));
    await running.ended;
    return true;
  }

  /** Aborts the running training, because the service shuts down. */
  async close(): Promise<void> {
    this.#running?.abort.abort(new Ending('interrupted'));
    await this.#running?.ended;
  }

  async #lock(id: string): Promise<() => Promise<void>> {
    try {
      return await this.#store.lock(id);
    } catch (error) {
      if (!(error instanceof RowcastError && error.code === 'locked')) throw error;
      throw alreadyRunning(await this.#store.running());
    }
  }

  async #run(
    running: Running,
    state: TrainingState,
    options: TrainingOrder['options'],
    release: () => Promise<void>,
  ): Promise<void> {
    const { watched, abort } = running;
    const what = `training ${state.id} of the report ${state.report} on ${sanitize(state.data.name)}`;
    this.#log.info({ event: 'training_started', training: state.id }, `${what} has begun`);
    const onStep = (step: string): void => watched.set(atStep(state, step));
    const end = await trainReport({ ...options, home: this.#home, signal: abort.signal, onStep }).then(
      () => ({ status: 'finished', problem: null }) as const,
      error => this.#failure(error, what),
    );
    const ended = { ...state, ...end, finished_at: new Date().toISOString() };
    const warn = (error: unknown): void =>
      this.#log.warn(
        { event: 'training_state_not_written', err: error },
        `cannot write the state of ${what}`,
      );
    await this.#store.write(ended).catch(warn);
    await release();
    await this.#store.prune().catch(warn);
    this.#running = undefined;
    watched.setFinal(withoutStep(ended));
    this.#log.info(
      { event: 'training_ended', training: state.id, status: ended.status },
      `${what}: ${ended.status}`,
    );
  }

  #failure(error: unknown, what: string): Pick<TrainingState, 'status' | 'problem'> {
    if (error instanceof Ending) return { status: error.status, problem: null };
    if (!(error instanceof RowcastError) || error.code === 'internal')
      this.#log.error({ event: 'training_failed', err: error }, `${what} failed`);
    return { status: 'failed', problem: shownError(error, trainingHints) };
  }
}

/** @param running undefined if it has ended in the meantime */
function alreadyRunning(running: TrainingState | undefined): RequestError {
  const what =
    running === undefined
      ? 'another one has just begun'
      : `the training ${running.id} of the report “${running.report}”, which predicts the column “${sanitize(running.column)}” of ${sanitize(running.data.name)}, has been running since ${running.started_at}`;
  return new RequestError(
    'training_running',
    `Only one training runs at a time: ${what}. Wait until it has ended, or cancel it.`,
  );
}

/** Counts the reports that were trained on the platform, by their ids. */
export async function countReports(home: string, quota: DiskQuota): Promise<Space> {
  const space = new Space(quota, 'The report');
  // The newest first: a report belongs to whoever trained it last.
  for (const { status, report, by } of await new TrainingStore(home).list())
    if (status === 'finished') {
      space.begin(report, by);
      space.set(report, await sizeOfReport(home, report));
    }
  return space;
}

/** Counts a report that was just trained. */
export async function countReport(
  space: Space,
  home: string,
  { report, by }: { report: string; by: string },
): Promise<void> {
  const bytes = await sizeOfReport(home, report);
  // The report may have replaced one that was counted for another key.
  space.release(report);
  space.begin(report, by);
  space.set(report, bytes);
}

const sizeOfReport = (home: string, id: string): Promise<number> => sizeOfFolder(reportFolder(home, id));
