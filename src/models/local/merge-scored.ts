import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import type { Appended } from '../../formats/appended.ts';
import type { Layout, MergeRecords, PlacedMerger, PredictedBatch } from '../../formats/format.ts';
import type { Batch } from '../../formats/records/batch.ts';
import type { Fields } from '../../formats/records/fields.ts';
import type { Part } from '../../scoring/merge/members.ts';
import type { MergedRecords } from '../../scoring/scorer.ts';

/** Merges batches with their predictions. */
export class ScoredMerger {
  readonly #layout: Layout;
  readonly #appended: Appended;
  /** For batches whose rows are all scored; undefined without a kernel. */
  readonly #placed: PlacedMerger | undefined;

  constructor(layout: Layout, appended: Appended, memory: BatchMemory | undefined) {
    this.#layout = layout;
    this.#appended = appended;
    this.#placed = memory && layout.placedMerger?.(appended, memory);
  }

  /** @param into memory for the records, and `maxBytes` of `Appended` for each; new memory if omitted */
  merge(scored: PredictedBatch, fields: Fields, parts: readonly Part[], into?: Buffer): MergedRecords {
    const merge = this.#mergerOf(scored, fields);
    const bytes = into ?? Buffer.allocUnsafe(maxMergedBytes(scored.batch, this.#appended));
    const ends: number[] = [];
    let length = 0;
    for (const { from, to } of parts) {
      length += merge(from, to, undefined, bytes.subarray(length)).length;
      ends.push(length);
    }
    return { bytes: bytes.subarray(0, length), ends };
  }

  #mergerOf(scored: PredictedBatch, fields: Fields): MergeRecords {
    const { batch, faults, predictions } = scored;
    const isSimple = fields.placed !== undefined && faults.size === 0 && predictions.errors.size === 0;
    if (isSimple && this.#placed !== undefined && predictions.kind === 'distribution')
      return this.#placed(batch, fields, predictions);
    return this.#layout.merger(scored, this.#appended);
  }
}

/** Maximum size of a batch's records with the appended fields. */
export const maxMergedBytes = ({ bytes, ends }: Batch, { maxBytes }: Pick<Appended, 'maxBytes'>): number =>
  bytes.length + ends.length * maxBytes;
