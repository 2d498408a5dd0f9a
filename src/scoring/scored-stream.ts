import type { UploadRowCounts } from '../base/contract/row-counts-trailer.ts';
import type { ByteSource } from '../formats/records/byte-source.ts';
import { hasUnrecognized } from './counting/counted-column.ts';
import { countUnrecognized, RunTally } from './counting/run-tally.ts';
import { TallyLayout } from './counting/tally.ts';
import type { MergedPiece } from './merge/merged-piece.ts';
import { prepare, type ScoredRun } from './prepare.ts';
import { checkBalance, count, rowCountsOf } from './row-counts.ts';
import type { Scorer } from './scorer.ts';
import { stages } from './stages.ts';

/** A scored file, and its row counts. */
export interface ScoredOutputStream {
  /** The name of its format. */
  format: string;
  /** A piece must be used before the next one is requested: its memory is reused then. */
  pieces: AsyncGenerator<MergedPiece>;
  /** The row counts, which are complete after the last piece. */
  rowCounts(): UploadRowCounts;
}

/**
 * Scores a file on its way: without a file of rejects, and without anything that could be resumed.
 *
 * @throws RowcastError for a missing report or an invalid file
 * @throws Interrupted
 */
export async function scoredStream(
  run: ScoredRun,
  source: ByteSource,
  scorer: Scorer,
  signal: AbortSignal = new AbortController().signal,
): Promise<ScoredOutputStream> {
  const plan = await prepare(run, { source, scorer, stop: signal });
  const counting = { columns: plan.counted.filter(hasUnrecognized), isDetailed: false };
  const counted = new TallyLayout(counting);
  const tally = RunTally.empty(counted);
  const rowCounts = rowCountsOf(undefined);
  const { rest, layout } = plan;
  const stop = { reading: signal, calling: signal };
  async function* pieces(): AsyncGenerator<MergedPiece> {
    for await (const piece of stages(run, plan, { rest, start: layout.start, counting, stop })) {
      count(rowCounts, piece);
      if (piece.tally !== undefined) tally.add(piece.tally);
      yield piece;
    }
    checkBalance(rowCounts);
  }
  return {
    format: layout.format,
    pieces: pieces(),
    rowCounts: () => ({ ...rowCounts, ...countUnrecognized(tally, counted) }),
  };
}

/**
 * Waits for the first items, so that early failures surface before any item is used.
 *
 * @param count how many items to wait for, unless there are fewer
 */
export async function prefetch<T>(items: AsyncGenerator<T>, count: number): Promise<AsyncGenerator<T>> {
  const first: T[] = [];
  while (first.length < count) {
    const { value, done } = await items.next();
    if (done) break;
    first.push(value);
  }
  return (async function* () {
    try {
      yield* first;
      yield* items;
    } finally {
      // `yield*` closes the items only if some were taken from them directly.
      await items.return(undefined);
    }
  })();
}
