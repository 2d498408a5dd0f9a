import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fingerprintOf } from '../../../src/runs/checkpoint/fingerprint.ts';
import { job } from '../../support/scoring/job.ts';

const FILE = { path: '/data/in.csv', size: 8000, modified: 1, codec: 'none', contentSize: 8000 };

const inputOf = (given: object) =>
  fingerprintOf({
    input: FILE,
    service: 'embedded',
    report: { tech_specs: {}, drivers: [] },
    rejects: undefined,
    options: job({ input: 'in.csv', output: 'out.csv' }),
    dialect: { delimiter: ',', quote: '"', loneCr: false },
    ...given,
  }).input;

describe('the fingerprint of an input', () => {
  it('has the four members that every checkpoint has, and no others for a file that is read as a whole', () => {
    const file = { path: '/data/in.csv', size: 8000, modified: 1 };
    assert.deepEqual(inputOf({}), { ...file, gzip: false });
    assert.deepEqual(inputOf({ input: { ...FILE, codec: 'gzip' } }), { ...file, gzip: true });
  });

  it('has the version of an object, another compression, and the range that is read', () => {
    const input = { ...FILE, modified: null, etag: 'v1', codec: 'zstd' };
    const range = { start: { offset: 10, row: 2, line: 3 }, end: 20 };
    assert.deepEqual(inputOf({ input, range }), {
      path: '/data/in.csv',
      ...{ size: 8000, modified: null, gzip: false },
      ...{ etag: 'v1', codec: 'zstd', range: { start: 10, end: 20 } },
    });
    assert.deepEqual(inputOf({ range: { start: range.start } }).range, { start: 10, end: null });
  });
});
