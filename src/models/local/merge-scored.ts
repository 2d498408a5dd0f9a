import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { type Appended, maxMergedBytes } from '../../formats/appended.ts';
import type { Layout, MergeBatch, PredictedBatch } from '../../formats/format.ts';
import type { Fields } from '../../formats/records/fields.ts';
import type { Part } from '../../scoring/merge/members.ts';
import type { MergedRecords } from '../../scoring/scorer.ts';

/** Merges batches with their predictions. */
export class ScoredMerger {
  readonly #appended: Appended;
  readonly #merger: MergeBatch;

  constructor(layout: Layout, appended: Appended, memory: BatchMemory | undefined) {
    this.#appended = appended;
    this.#merger = layout.merger(appended, memory);
  }

  /** @param into memory for the records, and `maxBytes` of `Appended` for each; new memory if omitted */
  merge(scored: PredictedBatch, fields: Fields, parts: readonly Part[], into?: Buffer): MergedRecords {
    const merge = this.#merger(scored, fields);
    const bytes =
      into ??
      Buffer.allocUnsafe(maxMergedBytes(scored.batch.bytes.length, scored.batch.ends.length, this.#appended));
    const ends: number[] = [];
    let length = 0;
    for (const { from, to } of parts) {
      length += merge(from, to, undefined, bytes.subarray(length)).length;
      ends.push(length);
    }
    return { bytes: bytes.subarray(0, length), ends };
  }
}
