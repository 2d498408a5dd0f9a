import fc from 'fast-check';
import type { MergeRecords } from '../../src/formats/format.ts';
import type { Batch } from '../../src/formats/records/batch.ts';
import { toSinglePrecision } from '../../src/models/model/single-precision.ts';

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

/** The records of a batch, merged in two parts. */
export function merged({ ends }: Batch, split: number, merge: MergeRecords): [Buffer, Buffer] {
  const middle = split % (ends.length + 1);
  return [Buffer.from(merge(0, middle, undefined)), Buffer.from(merge(middle, ends.length, undefined))];
}
