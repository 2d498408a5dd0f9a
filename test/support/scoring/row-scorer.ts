import type { Predictions } from '../../../src/base/contract/predictions.ts';
import type { Description } from '../../../src/base/contract/schemas.ts';
import { RecordKind, startOf } from '../../../src/formats/records/batch.ts';
import type { Scorer } from '../../../src/scoring/scorer.ts';

/**
 * A scorer that predicts from the texts of rows.
 *
 * @param predict gets the well-formed rows of an attempt, each as its fields
 * @param report what the report says of itself
 */
export function rowScorer(predict: (rows: string[][]) => Predictions, report: Description = {}): Scorer {
  return {
    name: 'rows',
    describe: async () => report,
    open({ layout }) {
      const readFields = layout.fieldReader();
      return {
        concurrency: 1,
        batchRows: 1000,
        rowOverhead: 0,
        maxBatchBytes: () => 1 << 20,
        parts: batch => [batch],
        memoryOf: () => 0,
        async tryPart({ batch }) {
          const faults = new Map(readFields(batch).faults);
          const rows = [...batch.ends].flatMap((end, index) =>
            faults.has(index) || batch.kinds[index] === RecordKind.blank
              ? []
              : layout.textsOf(batch.bytes.subarray(startOf(batch, index), end)),
          );
          return { faults, predictions: predict(rows) };
        },
        release() {},
        confirm: () => true,
        async confirmAll() {},
      };
    },
  };
}
