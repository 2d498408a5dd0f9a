import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { csvLayout } from '../../../src/formats/csv/csv-layout.ts';
import { dataTally } from '../../../src/runs/drift/data-tally.ts';

import { countedColumns } from '../../../src/scoring/counting/counted-column.ts';
import { read } from '../../support/csv/read.ts';
import { job } from '../../support/scoring/job.ts';

const names = ['amount', 'plan', 'note'];
const features = names.map((name, index) => ({ name, index, type: undefined }));
const report = {
  id: 'r',
  tech_specs: {},
  drivers: [],
  columns: [
    { name: 'amount', type: 'numerical' },
    { name: 'plan', type: 'categorical' },
  ],
};
const counted = countedColumns(features, report);
const layout = csvLayout({ header: read('amount,plan,note\n').head });
const options = job({ input: 'in.csv', output: 'out.csv' });

describe('what a run counts in its data', () => {
  it('is only what it may warn of, unless a summary asks for more', () => {
    const columnsOf = (isDetailed: boolean) =>
      dataTally({ counted, report, layout, options }, undefined, {
        isDetailed,
        earlier: undefined,
      })?.counting.columns.map(({ name }) => name);
    // The categories of the plan are not known, and nothing is known of the note.
    assert.deepEqual(columnsOf(false), ['amount']);
    assert.deepEqual(columnsOf(true), names);
  });
});
