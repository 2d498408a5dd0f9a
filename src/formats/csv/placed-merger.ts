import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import type { Dialect } from '../../base/parse-records.ts';
import type { Appended } from '../appended.ts';
import { wordView } from '../bytes/word-view.ts';
import type { PlacedMerger } from '../format.ts';
import { countRows } from '../records/batch.ts';

const NUMBER_BYTES = Float64Array.BYTES_PER_ELEMENT;
const OFFSET_BYTES = Int32Array.BYTES_PER_ELEMENT;
/** Number of bytes that the kernel may write behind the merged ones. */
const PADDING = 16;

/**
 * Merges like `recordMerger`, for rows that all have probabilities.
 *
 * @returns undefined if a kernel cannot write these columns
 */
export function placedMerger(
  memory: BatchMemory,
  appended: Appended,
  dialect: Dialect,
): PlacedMerger | undefined {
  const { usual, maxBytes } = appended;
  if (usual === undefined) return undefined;
  const { delimiter, classes, predicted } = usual;
  const loneCr = Number(dialect.loneCr);
  const predictedAt =
    predicted === undefined
      ? 0
      : memory.keep(Int32Array.from(predicted.flatMap(({ bytes }) => [memory.keep(bytes), bytes.length])));
  return (batch, { placed, rows }, predictions) => {
    const { probabilities } = predictions;
    const write = appended.writer(predictions);
    if (placed === undefined) throw new TypeError('the fields are not in the memory of a kernel');
    const { kernel } = memory;
    const probabilitiesAt = memory.reserve(probabilities.length * NUMBER_BYTES);
    const textsAt = memory.reserve(rows * maxBytes);
    const textEndsAt = memory.reserve((rows + 1) * OFFSET_BYTES);
    const mergedAt = memory.reserve(batch.bytes.length + rows * maxBytes + PADDING);
    const { buffer } = memory;
    new Float64Array(buffer, probabilitiesAt, probabilities.length).set(probabilities);
    const textEnds = new Int32Array(buffer, textEndsAt, rows + 1);
    const texts = wordView(Buffer.from(buffer, textsAt, rows * maxBytes));
    textEnds[0] = 0;
    const append = (first: number): number =>
      kernel.appendFields(probabilitiesAt, classes, first, rows, delimiter, predictedAt, textsAt, textEndsAt);
    for (let row = append(0); row < rows; row = append(row + 1))
      textEnds[row + 1] = write(row, texts, textEnds[row] as number);
    let row = 0;
    return (from, to, _, into) => {
      const size = kernel.mergeRecords(
        placed.bytes,
        placed.recordEnds,
        placed.kinds,
        from,
        to,
        row,
        loneCr,
        textsAt,
        textEndsAt,
        mergedAt,
      );
      row += countRows(batch, from, to);
      const merged = Buffer.from(buffer, mergedAt, size);
      const bytes = into ?? Buffer.allocUnsafe(size);
      bytes.set(merged);
      return bytes.subarray(0, size);
    };
  };
}
