import type { CallStatistics } from '../base/contract/call-statistics.ts';
import type { PredictionType } from '../base/contract/predictions.ts';
import type { TextEntry } from '../base/text-of-file.ts';
import type { Layout } from '../formats/format.ts';
import type { Position } from '../formats/records/position.ts';
import type { RunTally } from '../scoring/counting/run-tally.ts';
import type { MergedPiece } from '../scoring/merge/merged-piece.ts';
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
  /** Called with what is predicted, before the first piece of which it is known is written. */
  onPredictionType: (predictionType: PredictionType) => void;
}

/**
 * The progress of a run. The row counts, the digest of the input and the position in it are advanced together, so that
 * a checkpoint made from them always covers the same rows.
 */
export function runPosition(options: RunPositionOptions) {
  const { rowCounts, digest, layout, statistics, tally, from, start, onPredictionType } = options;
  const before = structuredClone(rowCounts);
  const reached = { rowCounts, position: start, predictionType: options.predictionType };
  return {
    /** As of the last piece. */
    reached: reached as Readonly<typeof reached>,

    /** Counts the next piece; returns what is to be written. */
    add(piece: MergedPiece): OutputPiece {
      if (piece.predictionType !== undefined && reached.predictionType === undefined)
        onPredictionType(piece.predictionType);
      const isFirstReject = rowCounts.rejected === 0;
      count(rowCounts, piece, from);
      if (piece.tally !== undefined) tally?.add(piece.tally);
      if (statistics !== undefined) countCalls(rowCounts, before, statistics);
      digest.update(piece.input);
      reached.position = piece.end;
      reached.predictionType = piece.predictionType ?? reached.predictionType;
      return { ...piece, rejects: layout.rejectsText(piece.rejects, isFirstReject) };
    },

    /** The state after the last piece: what a checkpoint stores. */
    commitPoint(): CommitPoint {
      const prefix = digest.state();
      return {
        position: reached.position,
        prefix,
        entry: options.entryBefore((from?.offset ?? 0) + PrefixDigest.resumesAt(prefix)),
        predictionType: reached.predictionType,
        rowCounts: structuredClone(rowCounts),
        tally: tally?.copy(),
      };
    },
  };
}
