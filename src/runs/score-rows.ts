import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PredictionType } from '../base/contract/predictions.ts';
import { RowcastError } from '../base/errors.ts';
import { stopping, unlessStopped } from '../base/interrupted.ts';
import { fractionOf, isInside, type Position } from '../formats/records/position.ts';
import type { MergedPiece } from '../scoring/merge/merged-piece.ts';
import { plannedPredictionType, type RowsPlan } from '../scoring/prepare.ts';
import { checkBalance, count, countCalls, type RowCounts, rowCountsOf } from '../scoring/row-counts.ts';
import { stages } from '../scoring/stages.ts';
import type { Source } from '../storage/source.ts';
import type { Checkpoint } from './checkpoint/checkpoint.ts';
import { PrefixDigest } from './checkpoint/prefix-digest.ts';
import type { EarlierFigures } from './drift/compare.ts';
import { countsAll, type DataTally, dataTally } from './drift/data-tally.ts';
import type { DataFigures } from './drift/figures.ts';
import { malformedLimit } from './guards/malformed-limit.ts';
import { checkLeastRows, type LeastRows, type RejectBudget, rejectBudget } from './guards/reject-budget.ts';
import { digestOfInput } from './guards/same-as-last.ts';
import { isWorthless, judgeEnd, waitsForRows } from './input-wait.ts';
import { noRows, unendedRecord } from './input-warnings.ts';
import type { RunResult } from './observer.ts';
import { checkDrift } from './observers/drift.ts';
import type { CommitPoint, Output, OutputPiece } from './output/output.ts';
import { checkCopied, seekToCheckpoint } from './output/resume.ts';
import type { RunEncoder } from './output/written-file.ts';
import type { Reuse } from './reuse/open-reuse.ts';
import { earlyEndOf, type Run } from './run.ts';
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
  const rows = new RowsOfRun(run, tracker, planned);
  try {
    const pieces = await rows.openPieces();
    await rows.commit(pieces);
    const figures = await rows.checkEnd();
    return await rows.finish(figures);
  } catch (error) {
    throw await rows.suspend(error);
  } finally {
    await rows.close();
  }
}

/**
 * The rows of a run, as far as they are scored. Row counts, position, digest and what is counted in the data advance
 * together, so that a checkpoint made from them always covers the same rows.
 */
class RowsOfRun {
  readonly #run: Run;
  readonly #tracker: RunTracker;
  readonly #planned: PlannedRun;
  readonly #stop: ReturnType<typeof stopping>;
  /** Where the run begins, if it is a shard that is a part of its input. */
  readonly #from: Position | undefined;
  /** What earlier processes of a resumed run had done. */
  readonly #before: RowCounts;
  /** Totals over all processes. */
  readonly #rowCounts: RowCounts;
  #position: Position;
  /** The digest of the input before the position. */
  #digest = new PrefixDigest();
  /** What the output's header says, once it is written. */
  #predictionType: PredictionType | undefined;
  readonly #data: DataTally | undefined;
  readonly #budget: RejectBudget;
  /** The limit of malformed rows; undefined for a shard that does not begin with the first row. */
  readonly #malformed: ReturnType<typeof malformedLimit> | undefined;

  constructor(run: Run, tracker: RunTracker, planned: PlannedRun) {
    const { values, control, shared, shard, isDetailed = countsAll(values) } = run;
    const { plan, output, earlier } = planned;
    const { source, layout } = plan;
    const { maxRejects } = values;
    const checkpoint = output.previous?.checkpoint;
    this.#run = run;
    this.#tracker = tracker;
    this.#planned = planned;
    this.#before = rowCountsOf(checkpoint);
    this.#rowCounts = structuredClone(this.#before);
    if (planned.reuse !== undefined) this.#rowCounts.reused ??= 0;
    if (values.dedupe) this.#rowCounts.equal ??= 0;
    this.#position = layout.start;
    const { range = layout } = shard ?? {};
    this.#from = isInside(range, layout) ? range.start : undefined;
    this.#predictionType = checkpoint?.predictionType;
    // The header is in another shard, so this one must know what was appended to it.
    if (this.#from !== undefined)
      this.#predictionType ??= shard?.predictionType ?? plannedPredictionType(plan);
    this.#data = dataTally(plan, checkpoint, { isDetailed, earlier });
    this.#budget = shared?.budget ?? rejectBudget(maxRejects);
    if (this.#from === undefined)
      this.#malformed = malformedLimit({ layout, file: source, before: this.#before, maxRejects });
    this.#stop = stopping(control.signal, () => source.close(), control.cancel);
  }

  /** Seeks to the checkpoint. The rows after it are scored as the pieces are asked for. */
  async openPieces(): Promise<AsyncGenerator<MergedPiece>> {
    const tracker = this.#tracker;
    const { values, shard } = this.#run;
    const { plan, output, encoder, reuse } = this.#planned;
    const { source, layout } = plan;
    const { previous } = output;
    const { rest, start, digest, lastByte } = await seekToCheckpoint(source, plan, previous, shard?.range);
    this.#position = start;
    this.#digest = digest;
    if (previous !== undefined) {
      const { predictionType } = previous.checkpoint;
      if (predictionType !== undefined) encoder?.predicts(predictionType);
      await checkCopied(source, encoder, previous);
      tracker.resumed({ row: start.row, rowCounts: this.#before }, predictionType);
    }
    const predictionType = this.#predictionType;
    return stages(this.#run, plan, {
      rest,
      start,
      // Earlier predictions show that rows can be scored.
      hasScored: this.#rowCounts.scored > 0 || reuse?.known !== undefined,
      resumed: predictionType && { predictionType, lastByte },
      stop: this.#stop,
      counting: this.#data?.counting,
      onLongField: field => tracker.longField(values.input === '-' ? 'stdin' : values.input, field),
      // A line of JSON that is cut off is malformed.
      onUnended:
        layout.format === 'csv' && !source.isLive
          ? ({ line }) => tracker.warned(unendedRecord(source.name, line))
          : undefined,
      traceBatch: tracker.traceBatch,
      known: reuse?.known,
    });
  }

  /**
   * Writes the pieces of the output in order.
   *
   * @throws RowcastError `malformed_input`, `too_many_rejects`, `too_many_mismatches`, `too_many_unseen`,
   *   `too_many_missing`; as `Output.write`
   */
  async commit(pieces: AsyncIterable<MergedPiece>): Promise<void> {
    const { output } = this.#planned;
    const { values } = this.#run;
    const tracker = this.#tracker;
    const rowCounts = this.#rowCounts;
    const before = { read: rowCounts.read, fraction: this.#fraction() };
    const resumePoint = () => output.resumePoint;
    const commitPoint = () => this.#commitPoint();
    for await (const piece of pieces) {
      this.#malformed?.check(piece.rejects, piece.end.row - 1);
      // A stalled reader must not prevent the run from stopping.
      await unlessStopped(output.write(this.#add(piece), commitPoint), this.#stop.calling);
      for (const reject of piece.rejects) tracker.tell(each => each.rejected?.(reject));
      this.#budget.check(rowCounts);
      this.#data?.check(values, rowCounts, piece.input);
      const predictionType = this.#predictionType;
      const figures = () => this.#data?.figures(predictionType, rowCounts);
      const fraction = this.#fraction();
      tracker.progress({ rowCounts, figures, predictionType, fraction, before, resumePoint });
    }
    this.#throwIfStopped();
  }

  /** Counts the next piece; returns what is to be written. */
  #add(piece: MergedPiece): OutputPiece {
    const { plan, encoder } = this.#planned;
    const { statistics } = plan.scorer;
    const rowCounts = this.#rowCounts;
    if (this.#predictionType === undefined && piece.predictionType !== undefined) {
      encoder?.predicts(piece.predictionType);
      this.#predictionType = piece.predictionType;
    }
    const isFirstReject = rowCounts.rejected === 0;
    count(rowCounts, piece, this.#from);
    if (piece.tally !== undefined) this.#data?.tally.add(piece.tally);
    if (statistics !== undefined) countCalls(rowCounts, this.#before, statistics);
    this.#digest.update(piece.input);
    this.#position = piece.end;
    return { ...piece, rejects: plan.layout.rejectsText(piece.rejects, isFirstReject) };
  }

  /** The state after the last piece: what a checkpoint stores. */
  #commitPoint(): CommitPoint {
    const prefix = this.#digest.state();
    const resumesAt = (this.#from?.offset ?? 0) + PrefixDigest.resumesAt(prefix);
    return {
      position: this.#position,
      prefix,
      entry: this.#planned.plan.source.entryBefore(resumesAt),
      predictionType: this.#predictionType,
      rowCounts: structuredClone(this.#rowCounts),
      tally: this.#data?.tally.copy(),
    };
  }

  #fraction(): number | undefined {
    const { plan, contentSize } = this.#planned;
    return fractionOf(this.#position, contentSize, this.#run.values.limit ?? plan.layout.rows);
  }

  #throwIfStopped(): void {
    if (this.#stop.reading.aborted) throw this.#stop.interrupted();
  }

  /**
   * Finds everything that may be wrong when all rows are written.
   *
   * @returns what was found in the data
   */
  async checkEnd(): Promise<DataFigures | undefined> {
    const { values, control, shared, shard } = this.#run;
    const { source } = this.#planned.plan;
    const tracker = this.#tracker;
    const rowCounts = this.#rowCounts;
    await unlessStopped(source.checkUnchanged(), control.signal);
    await tracker.settled();
    // Ctrl-C may also end the producer in the middle of a record, which then looks like the last one. A signal that
    // arrives together with the last response is only handled after it, so check again before the run is complete.
    await nextTurn();
    this.#throwIfStopped();
    checkBalance(rowCounts);
    this.#budget.check(rowCounts);
    this.#malformed?.checkEnd(rowCounts.read);
    const isWithoutRows = rowCounts.read === 0 && shard?.range === undefined && values.limit !== 0;
    if (isWithoutRows && waitsForRows(earlyEndOf(this.#run)))
      throw new RowcastError('empty_input', 'it has no rows', { severity: 'stopped', isUnfinished: true });
    if (shard?.range?.end === undefined) this.#data?.check(values, rowCounts, 'end');
    const figures = this.#data?.figures(this.#predictionType, rowCounts);
    checkDrift(values.maxDrift, figures?.drift);
    if (shared?.budget === undefined) this.#budget.checkEnd();
    checkLeastRows(this.#planned.least, rowCounts.read, source.name);
    if (isWithoutRows) tracker.warned(noRows(source.name, values.readyFile !== undefined));
    return figures;
  }

  /** Completes the output. */
  async finish(figures: DataFigures | undefined): Promise<RunResult> {
    const { values, shared } = this.#run;
    const { plan, output, reuse } = this.#planned;
    const data = this.#data;
    const rowCounts = this.#rowCounts;
    const predictionType = this.#predictionType;
    const last = this.#commitPoint();
    const digest = await this.#wholeDigest(last.prefix.digest);
    const written = await output.finish(last);
    const checksums = values.checksum
      ? { input: await plan.source.sha256(), output: await output.sha256() }
      : undefined;
    if (written !== undefined) await reuse?.keep({ rowCounts, checksums }, predictionType);
    shared?.total?.add(data, predictionType, rowCounts);
    const resumedFrom = output.previous?.checkpoint.position.row;
    return { rowCounts, resumedFrom, checksums, figures, tally: data?.tally.toJSON(), digest, written };
  }

  /** See `Summary.digest`. The next run may need it, also if the input must be read again for that. */
  async #wholeDigest(text: string): Promise<string | undefined> {
    const { values, shard, memory, shared } = this.#run;
    const { source } = this.#planned.plan;
    if (shard?.range !== undefined || values.limit !== undefined) return undefined;
    const identity = await source.identify();
    const isRemembered = memory !== undefined || shared?.last !== undefined;
    if (identity.footer !== undefined && !isRemembered) return undefined;
    return digestOfInput(
      identity,
      async () => text,
      () => source.sha256(),
    );
  }

  /** Keeps the unfinished output, so that the same command resumes, or discards it. @returns the error to throw */
  async suspend(thrown: unknown): Promise<unknown> {
    const { plan, output } = this.#planned;
    this.#stop.end();
    const isStopped = this.#stop.reading.aborted;
    const hasRead = this.#rowCounts.read > this.#before.read;
    const error = thrown instanceof RowcastError && hasRead ? thrown.duringRun() : thrown;
    const failure = await judgeEnd(error, plan.source, earlyEndOf(this.#run));
    if (this.#mustDiscard(failure, isStopped)) await output.discard();
    else {
      const isKnown = failure instanceof RowcastError;
      const needsRestart = isKnown && failure.needsRestart && !isStopped;
      const resumePoint = await output.suspend(needsRestart ? reasonToStop(failure) : undefined);
      const isRefused = isKnown && failure.severity === 'refused';
      if (resumePoint !== undefined && (isStopped || !isRefused))
        this.#tracker.suspended(resumePoint, needsRestart);
    }
    return isStopped ? this.#stop.interrupted() : failure;
  }

  /** Whether an unfinished output is discarded, because it may be wrong, or no run would resume from it. */
  #mustDiscard(failure: unknown, isStopped: boolean): boolean {
    if (!isStopped && isWorthless(failure, earlyEndOf(this.#run))) return true;
    if (!(failure instanceof RowcastError)) return false;
    // A corrected input is another one, which would not resume a run that has scored nothing.
    const isOtherInput = failure.code === 'malformed_input' && this.#rowCounts.scored === 0;
    return isOtherInput || failure.code === 'mixed_up_responses';
  }

  async close(): Promise<void> {
    this.#stop.end();
    this.#planned.plan.source.close();
    await this.#planned.reuse?.close();
  }
}

const reasonToStop = ({ code, message, hint }: RowcastError): Checkpoint['stopped'] => ({
  code,
  message,
  ...(hint !== undefined && { hint }),
});
