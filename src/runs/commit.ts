import type { CallStatistics } from '../base/contract/call-statistics.ts';
import type { PredictionType } from '../base/contract/predictions.ts';
import { unlessStopped } from '../base/interrupted.ts';
import type { RunValues } from '../base/options/values/run-values.ts';
import type { TextEntry } from '../base/text-of-file.ts';
import type { Layout } from '../formats/format.ts';
import type { Position } from '../formats/records/position.ts';
import type { RunTally } from '../scoring/counting/run-tally.ts';
import type { MergedPart } from '../scoring/merge/merged-part.ts';
import { count, countCalls, type RowCounts } from '../scoring/row-counts.ts';
import { PrefixDigest } from './checkpoint/prefix-digest.ts';
import type { DataTally } from './drift/data-tally.ts';
import type { MalformedLimit } from './guards/malformed-limit.ts';
import type { RejectBudget } from './guards/reject-budget.ts';
import type { CommitPoint, Output, Piece } from './output/output.ts';
import type { RowsWatch } from './watch.ts';

export interface RunPositionOptions {
  /** Totals of earlier processes of a resumed run; this process adds to them. */
  rowCounts: RowCounts;
  /** Where this process begins, and the digest of the input before that. */
  start: Position;
  /** Where the run began, if not at the start of the input. */
  from: Position | undefined;
  digest: PrefixDigest;
  /** The last place before an offset where reading can begin, in an input that is not text. */
  entryBefore: (offset: number) => TextEntry | undefined;
  layout: Pick<Layout, 'rejectsText'>;
  /** Statistics of the requests of this process, if the scorer makes any. */
  statistics: CallStatistics | undefined;
  /** What the output's header says, if it was already written. */
  predictionType: PredictionType | undefined;
  /** What earlier processes counted in the data; this process adds to it. */
  tally: RunTally | undefined;
  /** Told what is predicted, before the first part of which it is known is written. */
  onPredictionType: (predictionType: PredictionType) => void;
}

/**
 * The progress of a run. The row counts, the digest of the input and the position in it are advanced together, so that a
 * checkpoint made from them always covers the same rows.
 */
export class RunPosition {
  readonly rowCounts: RowCounts;
  readonly #before: RowCounts;
  readonly #options: RunPositionOptions;
  #position: Position;
  #predictionType: PredictionType | undefined;

  constructor(options: RunPositionOptions) {
    this.#options = options;
    this.rowCounts = options.rowCounts;
    this.#before = structuredClone(options.rowCounts);
    this.#position = options.start;
    this.#predictionType = options.predictionType;
  }

  /** What the output's header says, once that is known. */
  get predictionType(): PredictionType | undefined {
    return this.#predictionType;
  }

  get position(): Position {
    return this.#position;
  }

  /** Counts the next part; returns what is to be written. */
  add(part: MergedPart): Piece {
    const { digest, layout, statistics, from, onPredictionType } = this.#options;
    if (part.predictionType !== undefined && this.#predictionType === undefined)
      onPredictionType(part.predictionType);
    const isFirstReject = this.rowCounts.rejected === 0;
    count(this.rowCounts, part, from);
    if (part.tally !== undefined) this.#options.tally?.add(part.tally);
    if (statistics !== undefined) countCalls(this.rowCounts, this.#before, statistics);
    digest.update(part.input);
    this.#position = part.end;
    this.#predictionType = part.predictionType ?? this.#predictionType;
    return { ...part, rejects: layout.rejectsText(part.rejects, isFirstReject) };
  }

  /** The state after the last part: what a checkpoint stores. */
  readonly commitPoint = (): CommitPoint => {
    const { digest, entryBefore, tally, from } = this.#options;
    const prefix = digest.state();
    return {
      position: this.#position,
      prefix,
      entry: entryBefore((from?.offset ?? 0) + PrefixDigest.resumesAt(prefix)),
      predictionType: this.#predictionType,
      rowCounts: structuredClone(this.rowCounts),
      tally: tally?.copy(),
    };
  };
}

export interface CommitOptions
  extends Pick<RunValues, 'limit' | 'maxMismatches' | 'maxMissing' | 'maxUnseen'> {
  /** What is counted in the data, if anything is. */
  data: DataTally | undefined;
  budget: RejectBudget;
  /** Undefined for a part of an input that does not begin with its first row. */
  malformed: MalformedLimit | undefined;
  /** Size of the uncompressed input; null if not known. */
  contentSize: number | null;
  /** The number of rows to read, if it is known. */
  rows: number | undefined;
  output: Output;
  watch: Pick<RowsWatch, 'rejected' | 'progress'>;
  /** Aborted when a run is to stop even if its output accepts no data. */
  signal: AbortSignal;
}

/**
 * Writes the parts of the output in order.
 *
 * @throws RowcastError `malformed_input`, `too_many_rejects`, `too_many_mismatches`, `too_many_unseen`, `too_many_missing`;
 *   as `Output.write`
 */
export async function commit(
  parts: AsyncIterable<MergedPart>,
  reached: RunPosition,
  {
    data,
    contentSize,
    rows,
    output,
    budget,
    malformed,
    limit = rows,
    watch,
    signal,
    ...limits
  }: CommitOptions,
): Promise<void> {
  const fractionAt = fractionBefore(contentSize, limit);
  const { rowCounts } = reached;
  const before = { read: rowCounts.read, fraction: fractionAt(reached.position) };
  const resumePoint = () => output.resumePoint;
  for await (const part of parts) {
    malformed?.check(part.rejects, part.end.row - 1);
    // A stalled reader must not prevent the run from stopping.
    await unlessStopped(output.write(reached.add(part), reached.commitPoint), signal);
    for (const reject of part.rejects) watch.rejected(reject);
    budget.check(rowCounts);
    data?.check(limits, rowCounts, part.input);
    const { predictionType, position } = reached;
    const figures = () => data?.figures(predictionType, rowCounts);
    watch.progress({
      rowCounts,
      figures,
      predictionType,
      fraction: fractionAt(position),
      before,
      resumePoint,
    });
  }
}

/** The fraction of a run's work before a position: of its row limit or of its input, whichever ends first. */
function fractionBefore(size: number | null, limit: number | undefined) {
  const isSized = size !== null && size > 0;
  return ({ offset, row }: Position): number | undefined => {
    const ofInput = isSized ? offset / size : 0;
    const ofLimit = limit === undefined ? 0 : (row - 1) / Math.max(1, limit);
    return isSized || limit !== undefined ? Math.max(ofInput, ofLimit) : undefined;
  };
}
