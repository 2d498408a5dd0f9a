import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Client } from '../client/client.ts';
import type { EarlierFigures } from '../drift/earlier-figures.ts';
import type { DataFigures } from '../drift/figures.ts';
import { RowcastError } from '../errors.ts';
import { type Accounts, accountsOf, checkBalance } from '../runs/accounts.ts';
import { type Attempt, firstAttempt } from '../runs/attempt.ts';
import { fingerprintOf } from '../runs/checkpoint/fingerprint.ts';
import { seekToCheckpoint } from '../runs/checkpoint/resume.ts';
import { readEarlierSummary } from '../runs/earlier-summary.ts';
import type { ScoreOptions } from '../runs/options.ts';
import { acquireOutput } from '../runs/output/acquire-output.ts';
import type { Output } from '../runs/output/output.ts';
import { type LockedPaths, lockRunPaths } from '../runs/paths/lock-paths.ts';
import type { Checksums } from '../runs/summary.ts';
import { openSource } from '../storage/backends.ts';
import type { Files } from '../storage/local/durable-files.ts';
import type { Source } from '../storage/source.ts';
import { commit, Ledger } from './commit.ts';
import { dataCounts } from './data-counts.ts';
import { httpScorer } from './http/http-scorer.ts';
import type { RunObserver } from './observer.ts';
import { type Plan, prepare } from './prepare.ts';
import { RejectBudget } from './reject-budget.ts';
import { runColumns } from './run-columns.ts';
import type { Scorer } from './scorer.ts';
import { stages } from './stages.ts';
import { Interrupted, type Stopping, stopping } from './stop.ts';
import type { TotalCounts } from './total-counts.ts';

/** The result of a run. */
export interface RunResult {
  accounts: Accounts;
  /** The row at which an unfinished run was resumed. */
  resumedFrom: number | undefined;
  checksums: Checksums | undefined;
  /** What was found in the data; undefined if a checkpoint of an earlier version does not say. */
  figures: DataFigures | undefined;
}

/**
 * Scores a CSV: returns every row, in input order, with its predicted probabilities.
 *
 * @param service a prediction service, or another scorer; it is not closed
 * @param files writes the output's files
 * @returns undefined when OUTPUT exists and --if-exists is skip
 * @throws RowcastError with its location in the input; OUTPUT is then unchanged, and the same command resumes
 * @throws Interrupted if the run was stopped by its signal
 * @throws ClosedPipe if the reader of stdout closed its end
 */
export async function score(
  options: ScoreOptions,
  service: Client | Scorer,
  observer: RunObserver = {},
  files?: Files,
): Promise<RunResult | undefined> {
  const locked = await lockRunPaths(options);
  try {
    return await scoreTo(locked, options, service, observer, { files });
  } finally {
    await locked.release();
  }
}

export interface RunIo {
  /** This process, unless it resumes a run; by default, the first of a new run. */
  attempt?: Attempt | undefined;
  /** Writes the output's files. */
  files?: Files | undefined;
  /** Is read instead of the file that the options name; it is closed. */
  source?: Source | undefined;
  /** Maximum bytes in flight, if not the usual ones, which are for a service. */
  windowBytes?: number;
  /** Of several runs together; by default, the run has its own. */
  budget?: RejectBudget | undefined;
  /** Counts of several runs together. */
  total?: TotalCounts | undefined;
  /** The run to compare with, if it was read already. */
  earlier?: EarlierFigures | undefined;
  /** Whether an unfinished run of the output is known to be of different work. */
  isOtherWork?: boolean;
  /** Whether to count all that a summary has, if there is one that the options do not name. */
  isDetailed?: boolean;
}

/** The same, for paths that are locked already; they stay locked. */
export async function scoreTo(
  locked: LockedPaths,
  options: ScoreOptions,
  service: Client | Scorer,
  observer: RunObserver = {},
  io: RunIo = {},
): Promise<RunResult | undefined> {
  try {
    return await scoreOnce(locked, options, service, observer, io);
  } catch (error) {
    // Its size and time did not tell that the input is another one, but its bytes did. Stdin cannot be read again.
    const isOther = error instanceof RowcastError && error.code === 'other_work';
    if (!isOther || !options.restartIfChanged || io.source !== undefined || options.input === '-')
      throw error;
    return scoreOnce(locked, options, service, observer, { ...io, isOtherWork: true });
  }
}

async function scoreOnce(
  locked: LockedPaths,
  options: ScoreOptions,
  service: Client | Scorer,
  observer: RunObserver,
  { attempt = firstAttempt(), files, source: given, isOtherWork, earlier: read, ...io }: RunIo,
): Promise<RunResult | undefined> {
  const scorer = 'open' in service ? service : httpScorer(service);
  const source = given ?? (await openSource(options.input, options.checksum, options.encoding));
  try {
    const earlier = read ?? (await earlierOf(options));
    const acquired = await acquireOutput(options, { locked, stop: observer.stop, files, isOtherWork });
    if (acquired === undefined) return undefined;
    const plan = await prepare(source, options, scorer, observer.stop);
    const { report, layout } = plan;
    const { format, dialect } = layout;
    const { relativeRejects: rejects } = locked;
    const input = await source.identify();
    const work = { service: scorer.name, report, rejects, options, format, dialect };
    const fingerprint = fingerprintOf({ input, ...work });
    const identity = { attempt, fingerprint, rejectsHeader: layout.rejectsPreamble };
    const output = await acquired.open(identity).catch(error => {
      throw observer.stop?.aborted ? new Interrupted(observer.stop) : error;
    });
    observer.onBegin?.(output.attempt, runColumns(plan));
    const { contentSize } = input;
    return await run({ ...io, source, contentSize, earlier, options, plan, scorer, output, observer });
  } finally {
    source.close();
  }
}

const hasSummary = ({ summary, summaryHtml }: ScoreOptions): boolean =>
  summary !== undefined || summaryHtml !== undefined;

/**
 * The run to compare with.
 *
 * @throws RowcastError as `readEarlierSummary`
 */
export const earlierOf = async ({
  compare,
  report,
}: Pick<ScoreOptions, 'compare' | 'report'>): Promise<EarlierFigures | undefined> =>
  compare === undefined ? undefined : readEarlierSummary(compare, report);

interface Run extends Pick<RunIo, 'windowBytes' | 'budget' | 'total' | 'earlier' | 'isDetailed'> {
  source: Source;
  /** Size of the uncompressed input; null if not known. */
  contentSize: number | null;
  options: ScoreOptions;
  plan: Plan;
  scorer: Scorer;
  output: Output;
  observer: RunObserver;
}

/** Runs a plan to its end. If it fails, what was committed stays, and the same command resumes. */
async function run({ options, plan, scorer, output, observer, ...input }: Run): Promise<RunResult> {
  const { source, contentSize, windowBytes, budget = new RejectBudget(options.maxRejects) } = input;
  const { earlier, isDetailed = hasSummary(options) || earlier !== undefined } = input;
  const { layout } = plan;
  const { previous } = output;
  const before = accountsOf(previous?.checkpoint);
  const data = dataCounts(plan, previous?.checkpoint, { isDetailed, earlier });
  const accounts = structuredClone(before);
  const stop = stopping(observer.stop, () => source.close(), observer.cancel);
  try {
    const { rest, start, digest, lastByte } = await seekToCheckpoint(source, plan, previous);
    if (previous !== undefined) observer.onResume?.({ row: start.row, accounts: before });
    const { statistics } = scorer;
    const classes = previous?.checkpoint.classes;
    const tally = data?.tally;
    const ledger = new Ledger({ accounts, start, digest, layout, statistics, classes, tally });
    const resumed = classes && { classes, lastByte };
    const { onLongField, traceBatch } = observer;
    const hasScored = accounts.scored > 0;
    const counting = data?.counting;
    const parts = stages(plan, {
      ...{ scorer, rest, start, hasScored, resumed, stop, counting, onLongField, traceBatch, windowBytes },
    });
    const { limit, maxMismatches, maxUnseen } = options;
    const limits = { limit, maxMismatches, maxUnseen };
    await commit(parts, ledger, {
      ...limits,
      data,
      contentSize,
      output,
      budget,
      observer,
      signal: stop.calling,
    });
    if (stop.reading.aborted) throw stop.interrupted();
    await source.checkUnchanged();
    // Ctrl-C may also end the producer in the middle of a record, which then looks like the last one. A signal that
    // arrives together with the last response is only handled after it, so check again before the run is complete.
    await nextTurn();
    if (stop.reading.aborted) throw stop.interrupted();
    checkBalance(accounts);
    budget.check(accounts);
    data?.check(options, accounts.read, true);
    if (input.budget === undefined) budget.checkEnd();
    await output.finish(ledger.commitPoint());
    const checksums = options.checksum
      ? { input: await source.sha256(), output: await output.sha256() }
      : undefined;
    input.total?.add(data, ledger.classes);
    const figures = data?.figures(ledger.classes);
    return { accounts, resumedFrom: previous && start.row, checksums, figures };
  } catch (error) {
    stop.end();
    const isDuring = error instanceof RowcastError && accounts.read > before.read;
    throw await suspend(isDuring ? error.duringRun() : error, output, stop, observer);
  } finally {
    stop.end();
  }
}

/** Ends an unfinished run so that it can be resumed; returns the error to throw. */
async function suspend(
  failure: unknown,
  output: Output,
  { reading, interrupted }: Stopping,
  { onSuspend }: RunObserver,
): Promise<unknown> {
  const isKnown = failure instanceof RowcastError;
  if (isKnown && failure.code === 'mixed_up_responses') await output.discard();
  else {
    const resumePoint = await output.suspend();
    const isRefused = isKnown && failure.severity === 'refused';
    if (resumePoint !== undefined && (reading.aborted || !isRefused)) onSuspend?.(resumePoint);
  }
  return reading.aborted ? interrupted() : failure;
}
