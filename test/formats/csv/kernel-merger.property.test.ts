import { it } from 'node:test';
import fc from 'fast-check';
import { csvLayout } from '../../../src/formats/csv/csv-layout.ts';
import { legalCsv } from '../../support/csv/legal.ts';
import { read } from '../../support/csv/read.ts';
import { appendedOptions, assertMergedAlike, probability } from '../../support/merged.ts';
import { runs } from '../../support/random-tests.ts';

it('a kernel merges records with what is appended as TypeScript does', () => {
  fc.assert(
    fc.property(
      ...[legalCsv(2), appendedOptions, fc.infiniteStream(probability), fc.nat()],
      (csv, options, numbers: Iterator<number>, split) => {
        const { head, batches } = read(csv.text, { ...csv, batchRows: 20 });
        assertMergedAlike(csvLayout({ header: head }), batches, options, numbers, split);
      },
    ),
    { numRuns: runs(10_000, 1000) },
  );
});
