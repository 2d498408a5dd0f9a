import type { CallStatistics } from '../base/contract/call-statistics.ts';
import type { PredictionType } from '../base/contract/predictions.ts';
import { defaultProtocol } from '../base/contract/protocol-names.ts';
import { RowcastError } from '../base/errors.ts';
import { Interrupted, unlessStopped } from '../base/interrupted.ts';
import { reasonOf } from '../base/system-error.ts';
import type { LongField } from '../formats/records/read-batches.ts';
import type { RowCounts } from '../scoring/row-counts.ts';
import type { TraceBatch } from '../scoring/scorer.ts';
import type { Attempt } from './attempt.ts';
import { savedAttempt } from './checkpoint/checkpoint.ts';
import { exitCodeOf, runErrorOf } from './exit-code.ts';
import { type InputWarning, longFieldLine } from './input-warnings.ts';
import type { LockedTargets, RequestWatch, RunObserver, RunProgress, RunResult } from './observer.ts';
import type { ResumePoint } from './output/output.ts';
import type { RunColumns } from './run-columns.ts';
import { RunControl } from './run-control.ts';
import { RunFacts } from './run-facts.ts';
import { goodRun } from './summary/good-run.ts';
import type { Ending, RunError, RunMemory, RunNames, RunNote, Summary } from './summary/summary.ts';

interface RunTrackerOptions {
  names: RunNames;
  observers?: readonly RunObserver[];
  control?: RunControl;
  memory?: RunMemory | undefined;
}

/** Who predicts for a run, as its tracker needs it: a scorer, or what was one in other processes. */
interface Predictor {
  name: string;
  /** By default, `defaultProtocol`. */
  protocol?: string | undefined;
  /** Statistics of its requests for this run, if it makes any. */
  statistics?: CallStatistics | undefined;
}

/** A run that has failed does not wait for longer to find the last good one. */
const RECALL_MS = 10_000;

/** Tells the observers of a run how it begins, goes on and ends; it writes nothing itself. */
export class RunTracker extends RunFacts {
  readonly observers: readonly RunObserver[];
  /** The counts of the last checkpoint; rows after it are scored again. */
  #kept: () => RowCounts | undefined = () => undefined;
  readonly #control: RunControl;
  readonly #memory: RunMemory | undefined;
  #isRecalled = false;
  /** Whether the output is stored, so that a later run can compare itself with this one. */
  #isKept = false;

  constructor({ names, observers = [], control = new RunControl(), memory }: RunTrackerOptions) {
    super(names);
    this.#memory = memory;
    this.observers = observers;
    this.#control = control;
  }

  /**
   * The files are locked: the run gets its id, and the observers begin.
   *
   * @param restart whether an unfinished run is not resumed
   * @throws Interrupted; what an observer throws to refuse the run
   */
  async begin(files: LockedTargets, restart: boolean): Promise<void> {
    const output = files.output?.durable;
    this.#isKept = files.output === undefined || output !== undefined;
    await this.recall();
    if (!restart && output !== undefined) this.attempt = (await savedAttempt(output)) ?? this.attempt;
    // All of them, so that each can also write that the run was refused.
    await this.#tellAll(observer => observer.begin?.(this, files));
    const { signal } = this.#control;
    if (signal.aborted) throw new Interrupted(signal);
  }

  /**
   * Finds the last good run, once: a result file that is written from now on replaces what may be known of it.
   *
   * @param stop ends the waiting for a store
   */
  async recall(stop: AbortSignal = this.#control.signal): Promise<void> {
    if (this.#isRecalled || this.#memory === undefined) return;
    this.#isRecalled = true;
    const read = unlessStopped(
      this.#memory.read(warning => this.note(warning)),
      stop,
    );
    this.last ??= await read.catch(() => undefined); // what has stopped the run is noticed by whoever recalls
  }

  /** Tells the observers what the run itself need not know. */
  tell(tell: (observer: RunObserver) => void): void {
    for (const observer of this.observers) tell(observer);
  }

  /** Runs the rest as the observers want it. */
  within<T>(rest: () => Promise<T>): Promise<T> {
    return this.observers.reduceRight<() => Promise<T>>((inner, observer) => {
      const within = observer.within?.bind(observer);
      return within === undefined ? inner : () => within(inner);
    }, rest)();
  }

  /** What the requests of the run report. */
  get requests(): RequestWatch {
    return {
      trace: this.observers.find(each => each.traceRequest !== undefined)?.traceRequest,
      onRetry: (failure, wait) => {
        this.tell(observer => observer.retried?.(failure, wait));
      },
    };
  }

  get traceBatch(): TraceBatch | undefined {
    return this.observers.find(each => each.traceBatch !== undefined)?.traceBatch;
  }

  /** It is known who predicts. */
  ready(scorer: Predictor): void {
    this.service = scorer.name;
    this.protocol = scorer.protocol ?? defaultProtocol;
    this.statistics = scorer.statistics;
    this.tell(observer => observer.ready?.(this, scorer));
  }

  /** The output is open: this process of the run, and the columns of input and output. */
  opened(attempt: Attempt, columns: RunColumns): void {
    this.attempt = attempt;
    this.columnsOf = () => columns;
    this.tell(observer => observer.opened?.(this));
  }

  /** @param predictionType what the output's header says, if it was written */
  resumed(point: ResumePoint, predictionType: PredictionType | undefined): void {
    this.predictionType = predictionType;
    this.resumedFrom = point.row;
    this.rowCounts = point.rowCounts;
    this.before = point.rowCounts;
    this.tell(observer => observer.resumed?.(point));
  }

  /** A piece of the output was written. */
  progress(now: RunProgress): void {
    this.rowCounts = now.rowCounts;
    this.predictionType = now.predictionType;
    this.figures = now.figures;
    this.#kept = () => now.resumePoint()?.rowCounts;
    this.tell(observer => observer.progress?.(now));
  }

  /** @param file the name of the input, for the message */
  longField(file: string, field: LongField): void {
    const [, message] = longFieldLine(file, field);
    this.warn({ code: 'long_field', message });
    this.tell(observer => observer.longField?.(field));
  }

  warned(warning: InputWarning): void {
    const { code, message } = warning;
    this.warn({ code, message });
    this.tell(observer => observer.warned?.(warning));
  }

  /** Waits for what the observers have begun, before the output is completed. */
  async settled(): Promise<void> {
    for (const observer of this.observers) await observer.settled?.();
  }

  suspended(point: ResumePoint, needsRestart: boolean): void {
    this.rowCounts = point.rowCounts;
    this.tell(observer => observer.suspended?.(point, needsRestart));
  }

  /** The output is complete, or it is there already and was skipped. */
  scored(result: RunResult | undefined): void {
    if (result !== undefined) {
      this.rowCounts = result.rowCounts;
      this.resumedFrom = result.resumedFrom;
      this.checksums = result.checksums;
      this.digest = result.digest;
      this.figures = () => result.figures;
    }
    this.tell(observer => observer.scored?.(this, result));
  }

  /** Adds a warning to the summary, and tells the observers, once. */
  note(warning: RunNote): void {
    if (this.warnings.some(({ message }) => message === warning.message)) return;
    this.warn(warning);
    this.tell(observer => observer.noted?.(warning));
  }

  /**
   * The run has ended without a failure.
   *
   * @throws what an observer throws that cannot write it
   */
  async end(
    status: 'finished' | 'skipped' | 'stopped',
    exitCode: number,
    error: RunError | null = null,
  ): Promise<Summary> {
    const ending = { status, exitCode, error, finishedAt: new Date() };
    const good = this.#isKept ? goodRun(this.summary(ending), this.last, true) : undefined;
    if (good !== undefined)
      await this.#memory?.write?.(good).catch(cause =>
        this.note({
          code: 'last_run_not_kept',
          message: `this run cannot be remembered as the last good one: ${reasonOf(cause)}`,
        }),
      );
    // Nothing was scored now, so these are the facts of what is there.
    if (status === 'skipped' && good !== undefined) this.last = good;
    const summary = this.summary(ending);
    await this.#tellEnd(summary, this.#control.signal).catch(error => {
      throw error instanceof RowcastError ? error.duringRun() : error;
    });
    return summary;
  }

  /** The run has failed, was stopped or refused. It never throws another error. */
  async fail(error: unknown): Promise<Summary> {
    // The checkpoint has given this process the id of the other run.
    if (error instanceof RowcastError && error.code === 'other_work') this.attempt = this.newRun;
    await this.recall(AbortSignal.timeout(RECALL_MS));
    const summary = this.summary(endingOf(error));
    await this.#tellEnd(summary, AbortSignal.abort()).catch(cause => {
      this.tell(observer => observer.unwritten?.(reasonOf(cause)));
    });
    return summary;
  }

  /** The process is about to end, so observers write how the run has ended synchronously. */
  endNow(error: unknown, exitCode = exitCodeOf(error)): void {
    if (this.result !== undefined) return;
    this.rowCounts = this.#kept() ?? this.rowCounts;
    const result = this.summary({ ...endingOf(error), exitCode });
    this.result = result;
    this.tell(observer => observer.exiting?.(result));
  }

  /** Closes all observers, even if that fails for one. */
  async close(): Promise<void> {
    const closed = await Promise.allSettled(this.observers.map(async observer => observer.close?.()));
    for (const end of closed) if (end.status === 'rejected') throw end.reason;
  }

  async #tellEnd(summary: Summary, stop: AbortSignal): Promise<void> {
    try {
      await this.#tellAll(observer => observer.ended?.(summary, stop));
    } finally {
      this.result = summary;
    }
  }

  /** Tells all observers, whichever fails; the first failure is thrown. */
  async #tellAll(tell: (observer: RunObserver) => Promise<void> | void): Promise<void> {
    const failures: unknown[] = [];
    for (const observer of this.observers)
      try {
        await tell(observer);
      } catch (error) {
        failures.push(error);
      }
    if (failures.length > 0) throw failures[0];
  }
}

function endingOf(error: unknown): Ending {
  const isRefused = error instanceof RowcastError && error.severity === 'refused';
  return {
    status: isRefused ? 'refused' : 'stopped',
    exitCode: exitCodeOf(error),
    error: runErrorOf(error),
    finishedAt: new Date(),
  };
}
