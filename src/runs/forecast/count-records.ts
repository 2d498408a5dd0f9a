import { REQUEST_ROWS } from '../../base/contract/limits.ts';
import type { RunValues } from '../../base/options/values/run-values.ts';
import type { Opened } from '../../formats/format.ts';
import { type Batch, countRows } from '../../formats/records/batch.ts';
import { readBatches } from '../../formats/records/read-batches.ts';
import type { BatchScorer } from '../../scoring/scorer.ts';
import type { Source } from '../../storage/source.ts';

/**
 * Larger inputs are not read to their end: the number of rows is estimated from this much, or is a lower bound if the
 * input is compressed, because its size is not known then.
 */
const COUNTED_BYTES = 1 << 30;

interface CountRecordsOptions {
  source: Source;
  opened: Opened;
  options: Pick<RunValues, 'batchRows' | 'batchBytes' | 'maxRecordBytes' | 'limit'>;
  /** Size of the uncompressed input; null if not known. */
  contentSize: number | null;
  /** Undefined if the input cannot be scored; then batches have their usual size. */
  scorer: BatchScorer | undefined;
  /** How many of the first batches to return. */
  keep: number;
  /** After how many counted bytes the rest is estimated. */
  countedBytes?: number;
}

interface Counted {
  rows: number;
  batches: number;
  bytes: number;
  /** Whether the input was read to its end, or as far as `--limit` says. */
  isExact: boolean;
  /** Whether there may be many more, because the size of the input is not known. */
  isLowerBound: boolean;
  first: Batch[];
}

/** Counts the rows and batches of an input, or estimates them from its beginning. */
export async function countRecords({
  source,
  opened,
  options,
  contentSize,
  scorer,
  keep,
  countedBytes = COUNTED_BYTES,
}: CountRecordsOptions): Promise<Counted> {
  const { layout, rest } = opened;
  const isShared = scorer?.sharesMemory ?? false;
  const records = layout.records({
    ...options,
    file: source.name,
    batchRows: options.batchRows ?? scorer?.batchRows ?? REQUEST_ROWS,
    batchBytes: () => scorer?.maxBatchBytes() ?? options.batchBytes,
    rowOverhead: scorer?.rowOverhead ?? 0,
    isShared,
    start: layout.start,
  });
  const counted: Counted = {
    rows: 0,
    batches: 0,
    bytes: layout.preamble.length,
    first: [],
    isExact: true,
    isLowerBound: false,
  };
  for await (const batch of readBatches({ records, rest, source })) {
    counted.rows += countRows(batch);
    counted.batches++;
    counted.bytes += batch.bytes.length;
    // Their memory is reused for the following ones.
    if (counted.first.length < keep) counted.first.push(copyOf(batch, isShared));
    records.release(batch.end.offset);
    if (counted.bytes < countedBytes) continue;
    const share = contentSize === null ? 1 : contentSize / counted.bytes;
    const estimate = (count: number): number => Math.round(count * share);
    const rows = Math.min(estimate(counted.rows), options.limit ?? Number.POSITIVE_INFINITY);
    const estimated = { rows, batches: estimate(counted.batches), bytes: estimate(counted.bytes) };
    return { ...counted, ...estimated, isExact: false, isLowerBound: contentSize === null };
  }
  return counted;
}

function copyOf(batch: Batch, isShared: boolean): Batch {
  const { length } = batch.bytes;
  const bytes = Buffer.from(isShared ? new SharedArrayBuffer(length) : new ArrayBuffer(length));
  batch.bytes.copy(bytes);
  return { ...batch, bytes, ends: batch.ends.slice(), kinds: batch.kinds.slice() };
}
