import { setImmediate as nextTurn } from 'node:timers/promises';
import { RowcastError } from '../base/errors.ts';
import { type Stopping, stopping, unlessStopped } from '../base/interrupted.ts';
import type { RunValues } from '../base/options/values/run-values.ts';
import { fractionOf, isInside, type Position } from '../formats/records/position.ts';
import type { MergedPiece } from '../scoring/merge/merged-piece.ts';
import { plannedPredictionType, type RowsPlan } from '../scoring/prepare.ts';
import { checkBalance, rowCountsOf } from '../scoring/row-counts.ts';
import { stages } from '../scoring/stages.ts';
import type { Source } from '../storage/source.ts';
import type { Checkpoint } from './checkpoint/checkpoint.ts';
import type { EarlierFigures } from './drift/compare.ts';
import { type DataTally, dataTally } from './drift/data-tally.ts';
import { malformedLimit } from './guards/malformed-limit.ts';
import { checkLeastRows, type LeastRows, type RejectBudget, rejectBudget } from './guards/reject-budget.ts';
import { digestOfInput } from './guards/same-as-last.ts';
import { isWorthless, judgeEnd, waitsForRows } from './input-wait.ts';
import { noRows, unendedRecord } from './input-warnings.ts';
import type { RunResult } from './observer.ts';
import { checkDrift } from './observers/drift.ts';
import type { Output } from './output/output.ts';
import { checkCopied, seekToCheckpoint } from './output/resume.ts';
import type { RunEncoder } from './output/written-file.ts';
import type { Reuse } from './reuse/open-reuse.ts';
import { earlyEndOf, type Run } from './run.ts';
import { runPosition } from './run-position.ts';
import type { RunTracker } from './run-tracker.ts';

/** What a run has found out, and opened, before its first row. */
export interface PlannedRun {
  plan: RowsPlan<Source>;
  /** Size of the uncompressed input; null if not known. */
  contentSize: number | null;
  output: Output;
  /** Makes groups of the rows, if the output is not text. */
  encoder: RunEncoder | undefined;
  /** Predictions that need not be asked for. */
  reuse: Reuse | undefined;
  /** The run to compare with. */
  earlier: EarlierFigures | undefined;
  /** The fewest rows that the run may have. */
  least: LeastRows;
}

/** Scores the rows of a plan to the end. If it fails, what was committed stays, and the same command resumes. */
export async function scoreRows(run: Run, tracker: RunTracker, planned: PlannedRun): Promise<RunResult> {
  const { values, control, shared, shard, isDetailed = countsAll(values) } = run;
  const { plan, output, encoder, reuse, earlier } = planned;
  const { source, scorer, layout } = plan;
  const { previous } = output;
  const early = earlyEndOf(run);
  const before = rowCountsOf(previous?.checkpoint);
  const rowCounts = structuredClone(before);
  if (reuse !== undefined) rowCounts.reused ??= 0;
  if (values.dedupe) rowCounts.equal ??= 0;
  const data = dataTally(plan, previous?.checkpoint, { isDetailed, earlier });
  const budget = shared?.budget ?? rejectBudget(values.maxRejects);
  const stop = stopping(control.signal, () => source.close(), control.cancel);
  try {
    const { rest, start, digest, lastByte } = await seekToCheckpoint(source, plan, previous, shard?.range);
    if (previous !== undefined) {
      if (previous.checkpoint.predictionType !== undefined)
        encoder?.predicts(previous.checkpoint.predictionType);
      await checkCopied(source, encoder, previous);
      tracker.resumed({ row: start.row, rowCounts: before }, previous.checkpoint.predictionType);
    }
    const range = shard?.range;
    const part = range !== undefined && isInside(range, layout) ? range : undefined;
    // The header is part of another run, so this one must know what was appended to it.
    const predictionType =
      previous?.checkpoint.predictionType ?? (part && (shard?.predictionType ?? plannedPredictionType(plan)));
    const at = runPosition({
      rowCounts,
      start,
      from: part?.start,
      digest,
      entryBefore: offset => source.entryBefore(offset),
      layout,
      statistics: scorer.statistics,
      predictionType,
      tally: data?.tally,
      onPredictionType: type => encoder?.predicts(type),
    });
    const parts = stages(run, plan, {
      rest,
      start,
      // Earlier predictions show that rows can be scored.
      hasScored: rowCounts.scored > 0 || reuse?.known !== undefined,
      resumed: predictionType && { predictionType, lastByte },
      stop,
      counting: data?.counting,
      onLongField: field => tracker.longField(values.input === '-' ? 'stdin' : values.input, field),
      // A line of JSON that is cut off is malformed.
      onUnended:
        layout.format === 'csv' && !source.isLive
          ? ({ line }) => tracker.warned(unendedRecord(source.name, line))
          : undefined,
      traceBatch: tracker.traceBatch,
      known: reuse?.known,
    });
    const { maxRejects } = values;
    const isFirst = part === undefined;
    const malformed = isFirst ? malformedLimit({ layout, file: source, before, maxRejects }) : undefined;
    await commit(run, tracker, planned, parts, { at, data, budget, malformed, signal: stop.calling });
    if (stop.reading.aborted) throw stop.interrupted();
    await unlessStopped(source.checkUnchanged(), control.signal);
    await tracker.settled();
    // Ctrl-C may also end the producer in the middle of a record, which then looks like the last one. A signal that
    // arrives together with the last response is only handled after it, so check again before the run is complete.
    await nextTurn();
    if (stop.reading.aborted) throw stop.interrupted();
    checkBalance(rowCounts);
    budget.check(rowCounts);
    malformed?.checkEnd(rowCounts.read);
    const isWithoutRows = rowCounts.read === 0 && range === undefined && values.limit !== 0;
    if (isWithoutRows && waitsForRows(early))
      throw new RowcastError('empty_input', 'it has no rows', { severity: 'stopped', isUnfinished: true });
    if (range?.end === undefined) data?.check(values, rowCounts, 'end');
    const { reached } = at;
    const figures = data?.figures(reached.predictionType, rowCounts);
    checkDrift(values.maxDrift, figures?.drift);
    if (shared?.budget === undefined) budget.checkEnd();
    checkLeastRows(planned.least, rowCounts.read, source.name);
    if (isWithoutRows) tracker.warned(noRows(source.name, values.readyFile !== undefined));
    const last = at.commitPoint();
    const isWhole = range === undefined && values.limit === undefined;
    const whole = isWhole ? await digestOf(run, source, last.prefix.digest) : undefined;
    const written = await output.finish(last);
    const checksums = values.checksum
      ? { input: await source.sha256(), output: await output.sha256() }
      : undefined;
    if (written !== undefined) await reuse?.keep({ rowCounts, checksums }, reached.predictionType);
    shared?.total?.add(data, reached.predictionType, rowCounts);
    return {
      rowCounts,
      resumedFrom: previous && start.row,
      checksums,
      figures,
      tally: data?.tally.toJSON(),
      digest: whole,
      written,
    };
  } catch (error) {
    stop.end();
    const isDuring = error instanceof RowcastError && rowCounts.read > before.read;
    const failure = await judgeEnd(isDuring ? error.duringRun() : error, source, early);
    if (!stop.reading.aborted && isWorthless(failure, early)) {
      await output.discard();
      throw failure;
    }
    throw await suspend(failure, rowCounts.scored > 0, output, stop, tracker);
  } finally {
    stop.end();
    source.close();
    await reuse?.close();
  }
}

interface Committing {
  at: ReturnType<typeof runPosition>;
  /** What is counted in the data, if anything is. */
  data: DataTally | undefined;
  budget: RejectBudget;
  /** Undefined for a part of an input that does not begin with its first row. */
  malformed: ReturnType<typeof malformedLimit> | undefined;
  /** Aborted when a run is to stop even if its output accepts no data. */
  signal: AbortSignal;
}

/**
 * Writes the parts of the output in order.
 *
 * @throws RowcastError `malformed_input`, `too_many_rejects`, `too_many_mismatches`, `too_many_unseen`,
 *   `too_many_missing`; as `Output.write`
 */
async function commit(
  { values }: Run,
  tracker: RunTracker,
  { plan: { layout }, contentSize, output }: PlannedRun,
  parts: AsyncIterable<MergedPiece>,
  { at: { reached, add, commitPoint }, data, budget, malformed, signal }: Committing,
): Promise<void> {
  const fractionAt = (at: Position) => fractionOf(at, contentSize, values.limit ?? layout.rows);
  const { rowCounts } = reached;
  const before = { read: rowCounts.read, fraction: fractionAt(reached.position) };
  const resumePoint = () => output.resumePoint;
  for await (const part of parts) {
    malformed?.check(part.rejects, part.end.row - 1);
    // A stalled reader must not prevent the run from stopping.
    await unlessStopped(output.write(add(part), commitPoint), signal);
    for (const reject of part.rejects) tracker.tell(each => each.rejected?.(reject));
    budget.check(rowCounts);
    data?.check(values, rowCounts, part.input);
    const { predictionType, position } = reached;
    const figures = () => data?.figures(predictionType, rowCounts);
    const fraction = fractionAt(position);
    tracker.progress({ rowCounts, figures, predictionType, fraction, before, resumePoint });
  }
}

/** See `Summary.digest`. The next run may need it, also if the input must be read again for that. */
async function digestOf({ memory, shared }: Run, source: Source, text: string): Promise<string | undefined> {
  const identity = await source.identify();
  const isRemembered = memory !== undefined || shared?.last !== undefined;
  return identity.footer === undefined || isRemembered
    ? digestOfInput(
        identity,
        async () => text,
        () => source.sha256(),
      )
    : undefined;
}

/**
 * Whether what was counted is written somewhere. A limit of missing values is also for columns of which nothing is
 * known.
 */
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
  tracker: RunTracker,
): Promise<unknown> {
  const isKnown = failure instanceof RowcastError;
  // A corrected input is another one, which would not resume a run that has scored nothing.
  const isWorthless = isKnown && failure.code === 'malformed_input' && !hasScored;
  if (isWorthless || (isKnown && failure.code === 'mixed_up_responses')) await output.discard();
  else {
    const isRefused = isKnown && failure.severity === 'refused';
    const needsRestart = isKnown && failure.needsRestart && !reading.aborted;
    const resumePoint = await output.suspend(needsRestart ? reasonToStop(failure) : undefined);
    if (resumePoint !== undefined && (reading.aborted || !isRefused))
      tracker.suspended(resumePoint, needsRestart);
  }
  return reading.aborted ? interrupted() : failure;
}
