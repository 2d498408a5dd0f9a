import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PredictionType } from '../base/contract/predictions.ts';
import { RowcastError } from '../base/errors.ts';
import { type Stopping, stopping, unlessStopped } from '../base/interrupted.ts';
import type { RunValues } from '../base/options/values/run-values.ts';
import { type InputRange, isInside } from '../formats/records/position.ts';
import { type Plan, plannedPredictionType } from '../scoring/prepare.ts';
import { checkBalance, rowCountsOf } from '../scoring/row-counts.ts';
import type { Scorer } from '../scoring/scorer.ts';
import { stages } from '../scoring/stages.ts';
import type { Source } from '../storage/source.ts';
import type { Checkpoint } from './checkpoint/checkpoint.ts';
import { commit, RunPosition } from './commit.ts';
import { checkDrift } from './drift/check-drift.ts';
import { dataTally } from './drift/data-tally.ts';
import type { EarlierFigures } from './drift/earlier-figures.ts';
import type { TotalTally } from './drift/total-tally.ts';
import { MalformedLimit } from './guards/malformed-limit.ts';
import { checkLeastRows, type LeastRows } from './guards/min-rows.ts';
import { RejectBudget } from './guards/reject-budget.ts';
import { digestOfInput } from './guards/same-as-last.ts';
import { isWorthless, judgeEnd, waitsForRows } from './input-wait.ts';
import { noRows, unendedRecord } from './input-warnings.ts';
import type { Output } from './output/output.ts';
import { checkCopied, seekToCheckpoint } from './output/resume.ts';
import type { RunEncoder } from './output/run-encoder.ts';
import type { RunResult } from './run-result.ts';
import type { RowsWatch } from './watch.ts';

export interface PlannedRows {
  source: Source;
  /** Size of the uncompressed input; null if not known. */
  contentSize: number | null;
  options: RunValues;
  plan: Plan;
  scorer: Scorer;
  output: Output;
  /** Makes groups of the rows, if the output is not text. */
  encoder?: RunEncoder | undefined;
  watch: RowsWatch;
  /** Aborted when the run is to be stopped. */
  stop: AbortSignal;
  /** Aborted when nobody waits for the rows in flight. */
  cancel: AbortSignal;
  /** Maximum bytes in flight, if not the default ones, which are for a service. */
  windowBytes?: number | undefined;
  /** The fewest rows that the run may have. */
  least?: LeastRows;
  /** Whether the next run will need the digest of the input, also if it must be read again for that. */
  isRemembered?: boolean;
  /** The budget that several runs share; by default, the run has its own. */
  budget?: RejectBudget | undefined;
  /** Counts of several runs together. */
  total?: TotalTally | undefined;
  /** The run to compare with, if it was read already. */
  earlier?: EarlierFigures | undefined;
  /** The part of the input to score, if not all of it; rows and lines keep their numbers. */
  range?: InputRange | undefined;
  /** What each prediction consists of, if that was found out when the run was planned. */
  planned?: PredictionType | undefined;
  /** Whether an input that ends too early is read again, once it has changed. */
  isReadAgain?: boolean | undefined;
  /** Whether to count all that a summary has, if there is one that the options do not name. */
  isDetailed?: boolean | undefined;
}

/** Scores the rows of a plan to the end. If it fails, what was committed stays, and the same command resumes. */
export async function scoreRows({
  options,
  plan,
  scorer,
  output,
  watch,
  ...input
}: PlannedRows): Promise<RunResult> {
  const {
    source,
    contentSize,
    windowBytes,
    range,
    planned,
    encoder,
    budget = new RejectBudget(options.maxRejects),
  } = input;
  const { earlier, isDetailed = countsAll(options) } = input;
  const { layout } = plan;
  const { waitForInput, readyFile } = options;
  const end = { waitForInput, readyFile, isReadAgain: input.isReadAgain === true };
  const { previous } = output;
  const before = rowCountsOf(previous?.checkpoint);
  const data = dataTally(plan, previous?.checkpoint, { isDetailed, earlier });
  const rowCounts = structuredClone(before);
  const stop = stopping(input.stop, () => source.close(), input.cancel);
  try {
    const { rest, start, digest, lastByte } = await seekToCheckpoint(source, plan, previous, range);
    if (previous !== undefined) {
      if (previous.checkpoint.predictionType !== undefined)
        encoder?.predicts(previous.checkpoint.predictionType);
      await checkCopied(source, encoder, previous);
      watch.resumed({ row: start.row, rowCounts: before }, previous.checkpoint.predictionType);
    }
    const { statistics } = scorer;
    const part = range !== undefined && isInside(range, layout) ? range : undefined;
    // The header is part of another run, so this one must know what was appended to it.
    const predictionType =
      previous?.checkpoint.predictionType ?? (part && (planned ?? plannedPredictionType(plan)));
    const tally = data?.tally;
    const reached = new RunPosition({
      rowCounts,
      start,
      from: part?.start,
      digest,
      entryBefore: offset => source.entryBefore(offset),
      layout,
      statistics,
      predictionType,
      tally,
      onPredictionType: type => encoder?.predicts(type),
    });
    const resumed = predictionType && { predictionType, lastByte };
    const hasScored = rowCounts.scored > 0;
    const counting = data?.counting;
    const parts = stages(plan, {
      scorer,
      rest,
      start,
      end: range?.end,
      hasScored,
      planned,
      resumed,
      stop,
      counting,
      onLongField: watch.longField,
      // A line of JSON that is cut off is malformed.
      onUnended:
        layout.format === 'csv' && !source.isLive
          ? ({ line }) => watch.warned(unendedRecord(source.name, line))
          : undefined,
      traceBatch: watch.traceBatch,
      windowBytes,
    });
    const { maxRejects } = options;
    const isFirst = part === undefined;
    const malformed = isFirst ? new MalformedLimit({ layout, file: source, before, maxRejects }) : undefined;
    const { limit, maxMismatches, maxMissing, maxUnseen } = options;
    const limits = { limit, maxMismatches, maxMissing, maxUnseen };
    await commit(parts, reached, {
      ...limits,
      data,
      contentSize,
      rows: layout.rows,
      output,
      budget,
      malformed,
      watch,
      signal: stop.calling,
    });
    if (stop.reading.aborted) throw stop.interrupted();
    await unlessStopped(source.checkUnchanged(), input.stop);
    await watch.settled();
    // Ctrl-C may also end the producer in the middle of a record, which then looks like the last one. A signal that
    // arrives together with the last response is only handled after it, so check again before the run is complete.
    await nextTurn();
    if (stop.reading.aborted) throw stop.interrupted();
    checkBalance(rowCounts);
    budget.check(rowCounts);
    malformed?.checkEnd(rowCounts.read);
    const isWithoutRows = rowCounts.read === 0 && range === undefined && limit !== 0;
    if (isWithoutRows && waitsForRows(end))
      throw new RowcastError('empty_input', 'it has no rows', { severity: 'stopped', isUnfinished: true });
    if (range?.end === undefined) data?.check(options, rowCounts, 'end');
    const figures = data?.figures(reached.predictionType, rowCounts);
    checkDrift(options.maxDrift, figures?.drift);
    if (input.budget === undefined) budget.checkEnd();
    checkLeastRows(input.least, rowCounts.read, source.name);
    if (isWithoutRows) watch.warned(noRows(source.name, options.readyFile !== undefined));
    const last = reached.commitPoint();
    const isWhole = range === undefined && options.limit === undefined;
    const whole = isWhole ? await digestOf(source, last.prefix.digest, input.isRemembered) : undefined;
    const written = await output.finish(last);
    const checksums = options.checksum
      ? { input: await source.sha256(), output: await output.sha256() }
      : undefined;
    input.total?.add(data, reached.predictionType, rowCounts);
    const resumedFrom = previous && start.row;
    return {
      rowCounts,
      resumedFrom,
      checksums,
      figures,
      tally: data?.tally.toJSON(),
      digest: whole,
      written,
    };
  } catch (error) {
    stop.end();
    const isDuring = error instanceof RowcastError && rowCounts.read > before.read;
    const failure = await judgeEnd(isDuring ? error.duringRun() : error, source, end);
    if (!stop.reading.aborted && isWorthless(failure, end)) {
      await output.discard();
      throw failure;
    }
    throw await suspend(failure, rowCounts.scored > 0, output, stop, watch);
  } finally {
    stop.end();
  }
}

async function digestOf(source: Source, text: string, isRemembered = false): Promise<string | undefined> {
  const identity = await source.identify();
  return identity.footer === undefined || isRemembered
    ? digestOfInput(identity, text, () => source.sha256())
    : undefined;
}

/** Whether what was counted is written somewhere. A limit of missing values is also for columns of which nothing is known. */
export const countsAll = ({
  summary,
  summaryHtml,
  metrics,
  compare,
  maxMissing = 'none',
}: Pick<RunValues, 'summary' | 'summaryHtml' | 'metrics' | 'compare' | 'maxMissing'>): boolean =>
  [summary, summaryHtml, metrics, compare].some(file => file !== undefined) || maxMissing !== 'none';

const reasonToStop = ({ code, message, hint }: RowcastError): Checkpoint['stopped'] => ({
  code,
  message,
  ...(hint !== undefined && { hint }),
});

/** Ends an unfinished run so that it can be resumed; returns the error to throw. */
async function suspend(
  failure: unknown,
  hasScored: boolean,
  output: Output,
  { reading, interrupted }: Stopping,
  { suspended }: RowsWatch,
): Promise<unknown> {
  const isKnown = failure instanceof RowcastError;
  // A corrected input is another one, which would not resume a run that has scored nothing.
  const isWorthless = isKnown && failure.code === 'malformed_input' && !hasScored;
  if (isWorthless || (isKnown && failure.code === 'mixed_up_responses')) await output.discard();
  else {
    const isRefused = isKnown && failure.severity === 'refused';
    const needsRestart = isKnown && failure.needsRestart && !reading.aborted;
    const resumePoint = await output.suspend(needsRestart ? reasonToStop(failure) : undefined);
    if (resumePoint !== undefined && (reading.aborted || !isRefused)) suspended(resumePoint, needsRestart);
  }
  return reading.aborted ? interrupted() : failure;
}
