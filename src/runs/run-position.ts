import type { CallStatistics } from '../base/contract/call-statistics.ts';
import type { PredictionType } from '../base/contract/predictions.ts';
import type { TextEntry } from '../base/text-of-file.ts';
import type { Layout } from '../formats/format.ts';
import type { Position } from '../formats/records/position.ts';
import type { RunTally } from '../scoring/counting/run-tally.ts';
import type { MergedPart } from '../scoring/merge/merged-part.ts';
import { count, countCalls, type RowCounts } from '../scoring/row-counts.ts';
import { PrefixDigest } from './checkpoint/prefix-digest.ts';
import type { CommitPoint, OutputPiece } from './output/output.ts';

interface RunPositionOptions {
  /** Totals of earlier processes of a resumed run; this process adds to them. */
  rowCounts: RowCounts;
  /** Where this process begins, and the digest of the input before that. */
  start: Position;
  /** Where the run began, if not at the start of the input. */
  from: Position | undefined;
  digest: PrefixDigest;
  /** The last position before an offset at which reading can begin, in an input that is not text. */
  entryBefore: (offset: number) => TextEntry | undefined;
  layout: Pick<Layout, 'rejectsText'>;
  /** Statistics of the requests of this process, if the scorer makes any. */
  statistics: CallStatistics | undefined;
  /** What the output's header says, if it was already written. */
  predictionType: PredictionType | undefined;
  /** What earlier processes counted in the data; this process adds to it. */
  tally: RunTally | undefined;
  /** Called with what is predicted, before the first part of which it is known is written. */
  onPredictionType: (predictionType: PredictionType) => void;
}

/**
 * The progress of a run. The row counts, the digest of the input and the position in it are advanced together, so that
 * a checkpoint made from them always covers the same rows.
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
  add(part: MergedPart): OutputPiece {
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
