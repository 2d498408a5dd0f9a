import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Layout, MergeRecords } from '../../src/formats/format.ts';
import type { Batch } from '../../src/formats/records/batch.ts';
import { toSinglePrecision } from '../../src/models/model/single-precision.ts';
import { kernelMemory } from './csv/read.ts';

/** As a model and as a service may give them: many digits, few, nearly nothing, and none. */
export const probability = fc.oneof(
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.double({ min: 0, max: 1, noNaN: true }).map(toSinglePrecision),
  fc.integer({ min: 0, max: 1000 }).map(thousandths => thousandths / 1000),
  fc
    .tuple(fc.integer({ min: 1, max: 999 }), fc.integer({ min: 0, max: 30 }))
    .map(([digits, power]) => digits / 1000 / 10 ** power),
  fc.constantFrom(0, 1, 1e-6, 9.999999e-7, 1e-7, 1e-14, 9.9e-15, 5e-324),
);

/** What is appended to records whose mergers are compared. */
export const appendedOptions = fc.record({
  classes: fc.constantFrom(['no', 'yes'], ['a', 'b,"c"', 'é with a longer name'], ['only']),
  hasPrediction: fc.boolean(),
});

/** Fails unless a kernel merges the records of batches as TypeScript does. */
export function assertMergedAlike(
  layout: Layout,
  batches: readonly Batch[],
  { classes, hasPrediction }: { classes: readonly string[]; hasPrediction: boolean },
  numbers: Iterator<number>,
  split: number,
): void {
  const prediction = hasPrediction ? 'y' : undefined;
  const predictionType = { kind: 'distribution', classes } as const;
  const appended = layout.appended({ predictionType, prefix: 'p', prediction });
  const inKernel = layout.merger(appended, kernelMemory);
  const inTypeScript = layout.merger(appended);
  const readFields = layout.fieldReader(kernelMemory);
  for (const batch of batches) {
    kernelMemory.clear();
    const fields = readFields(batch);
    const probabilities = Float64Array.from(
      { length: fields.rows * classes.length },
      () => numbers.next().value ?? 0,
    );
    const predictions = { ...predictionType, probabilities, errors: new Map() };
    const scored = { batch, faults: fields.faults, predictions };
    const expected = merged(batch, split, inTypeScript(scored));
    assert.deepEqual(merged(batch, split, inKernel(scored, fields)), expected);
    assert.deepEqual(merged(batch, split, inKernel(scored)), expected);
  }
}

/** The records of a batch, merged in two parts. */
function merged({ ends }: Batch, split: number, merge: MergeRecords): [Buffer, Buffer] {
  const middle = split % (ends.length + 1);
  return [Buffer.from(merge(0, middle, undefined)), Buffer.from(merge(middle, ends.length, undefined))];
}
