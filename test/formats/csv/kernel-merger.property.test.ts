import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { csvLayout } from '../../../src/formats/csv/csv-layout.ts';
import { type LegalCsv, legalCsv } from '../../support/csv/legal.ts';
import { kernelMemory, read } from '../../support/csv/read.ts';
import { merged, probability } from '../../support/merged.ts';
import { runs } from '../../support/random-tests.ts';

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
        const layout = csvLayout({ header: head });
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
    { numRuns: runs(10_000, 1000) },
  );
});
