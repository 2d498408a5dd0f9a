import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { CsvLayout } from '../../../src/formats/csv/csv-layout.ts';
import type { MergeRecords } from '../../../src/formats/format.ts';
import type { Batch } from '../../../src/formats/records/batch.ts';
import { toSinglePrecision } from '../../../src/models/model/single-precision.ts';
import { type LegalCsv, legalCsv } from '../../support/csv/legal.ts';
import { kernelMemory, read } from '../../support/csv/read.ts';
import { runs } from '../../support/random-tests.ts';

/** As a model and as a service may give them: many digits, few, nearly nothing, and none. */
const probability = fc.oneof(
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.double({ min: 0, max: 1, noNaN: true }).map(toSinglePrecision),
  fc.integer({ min: 0, max: 1000 }).map(thousandths => thousandths / 1000),
  fc
    .tuple(fc.integer({ min: 1, max: 999 }), fc.integer({ min: 0, max: 30 }))
    .map(([digits, power]) => digits / 1000 / 10 ** power),
  fc.constantFrom(0, 1, 1e-6, 9.999999e-7, 1e-7, 1e-14, 9.9e-15, 5e-324),
);

/** The records of a batch, merged in two parts. */
const merged = ({ ends }: Batch, split: number, merge: MergeRecords): [Buffer, Buffer] => {
  const middle = split % (ends.length + 1);
  return [Buffer.from(merge(0, middle, undefined)), Buffer.from(merge(middle, ends.length, undefined))];
};

const options = fc.record({
  classes: fc.constantFrom(['no', 'yes'], ['a', 'b,"c"', 'é'], ['only']),
  hasPrediction: fc.boolean(),
});

it('a kernel merges records with what is appended as TypeScript does', () => {
  fc.assert(
    fc.property(
      ...[legalCsv(2), options, fc.infiniteStream(probability), fc.nat()],
      (csv: LegalCsv, { classes, hasPrediction }, numbers: Iterator<number>, split) => {
        const { head, batches } = read(csv.text, { ...csv, batchRows: 20 });
        const layout = new CsvLayout(head);
        const prediction = hasPrediction ? 'y' : undefined;
        const appended = layout.appended({
          predictionType: { kind: 'distribution', classes },
          prefix: 'p',
          prediction,
        });
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
          const predictions = { kind: 'distribution', classes, probabilities, errors: new Map() } as const;
          const scored = { batch, faults: fields.faults, predictions };
          const expected = merged(batch, split, inTypeScript(scored));
          assert.deepEqual(merged(batch, split, inKernel(scored, fields)), expected);
          assert.deepEqual(merged(batch, split, inKernel(scored)), expected);
        }
      },
    ),
    { numRuns: runs(20_000, 1000) },
  );
});
