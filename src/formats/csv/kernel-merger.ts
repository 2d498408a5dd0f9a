import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import type { Appended } from '../appended.ts';
import { type WordView, wordView } from '../bytes/word-view.ts';
import { MAX_PLACED_BYTES, placeRecords } from '../columns/place-records.ts';
import type { MergeRecords, PredictedBatch } from '../format.ts';
import { countRows } from '../records/batch.ts';
import type { Fields } from '../records/fields.ts';
import type { LineEndings } from '../records/line-endings.ts';

const NUMBER_BYTES = Float64Array.BYTES_PER_ELEMENT;
const OFFSET_BYTES = Int32Array.BYTES_PER_ELEMENT;
/** Number of bytes that the kernel may write behind texts and merged records. */
const PADDING = 16;
/** With many classes, what is appended to a batch may be larger; it is not worth so much memory, which is kept. */
const MAX_APPENDED_BYTES = 4 << 20;

/** Merges a batch like the merger of its format; undefined if a kernel cannot: a row has no probabilities, or an ending may be joined. */
type MergeInKernel = (scored: PredictedBatch, fields?: Fields) => MergeRecords | undefined;

/**
 * @param areObjects whether what is appended goes before the closing brace of each record, and not behind all of it
 * @returns undefined if a kernel cannot write these columns
 */
export function kernelMerger(
  memory: BatchMemory,
  appended: Appended,
  { loneCr }: LineEndings,
  areObjects = false,
): MergeInKernel | undefined {
  const { usual, maxBytes } = appended;
  if (usual === undefined || loneCr) return undefined;
  const { openings, predicted } = usual;
  const classes = openings.length;
  /** As `Text`s of assembly/merge-records.ts. */
  const keep = (texts: readonly WordView[]): number => {
    const kept = new Map(texts.map(text => [text, memory.keep(text.bytes)]));
    return memory.keep(Int32Array.from(texts.flatMap(text => [kept.get(text) ?? 0, text.bytes.length])));
  };
  const openingsAt = keep(openings);
  const predictedAt = predicted === undefined ? 0 : keep(predicted);
  /** Where the records are; those whose fields were not read are placed now. */
  const placeOf = ({ batch }: PredictedBatch, fields: Fields | undefined) => {
    if (fields !== undefined) return fields.placed;
    if (batch.bytes.length > MAX_PLACED_BYTES) return undefined;
    memory.clear();
    return placeRecords(memory, batch);
  };
  return (scored, fields) => {
    const { batch, faults, predictions } = scored;
    if (predictions.kind !== 'distribution' || faults.size > 0 || predictions.errors.size > 0)
      return undefined;
    const { probabilities } = predictions;
    const rows = probabilities.length / classes;
    if (rows * maxBytes > MAX_APPENDED_BYTES) return undefined;
    const placed = placeOf(scored, fields);
    if (placed === undefined) return undefined;
    const write = appended.writer(predictions);
    const { kernel } = memory;
    const probabilitiesAt = memory.reserve(probabilities.length * NUMBER_BYTES);
    const textsAt = memory.reserve(rows * maxBytes + PADDING);
    const textEndsAt = memory.reserve((rows + 1) * OFFSET_BYTES);
    const mergedAt = memory.reserve(batch.bytes.length + rows * maxBytes + PADDING);
    const { buffer } = memory;
    new Float64Array(buffer, probabilitiesAt, probabilities.length).set(probabilities);
    const textEnds = new Int32Array(buffer, textEndsAt, rows + 1);
    const texts = wordView(Buffer.from(buffer, textsAt, rows * maxBytes));
    textEnds[0] = 0;
    const append = (first: number): number =>
      kernel.appendFields(
        probabilitiesAt,
        classes,
        first,
        rows,
        openingsAt,
        predictedAt,
        textsAt,
        textEndsAt,
      );
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
        Number(loneCr),
        Number(areObjects),
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
