import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { score } from '../../src/scoring/score.ts';
import { newFolder } from '../support/folder.ts';
import { job } from '../support/scoring/job.ts';
import { connect } from '../support/stub/connect.ts';

const INPUT = `id,name\n${[1, 2, 3, 4, 5, 6].map(id => `${id},n${id}\n`).join('')}`;
const WRITTEN = `id,name,probability_no,probability_yes
1,n1,0.2,0.8
2,n2,0.6576576576576577,0.34234234234234234
`;

/** What version 0.1.0 wrote after the first of three batches. */
const checkpointOf = (input: { path: string; size: number; modified: number; gzip: boolean }) => ({
  format: 2,
  state: 'running',
  fingerprint: {
    input,
    dialect: { delimiter: ',', quote: '"', loneCr: false },
    service: 'stub',
    report: { id: 'r', hash: 'caf49bf3b5b4cd96dfbfc7b614dfb0a7203613953cad78c6d19e6d47ed4e9a0e' },
    options: {
      '--columns': '["id"]',
      '--allow-missing': 'false',
      '--nulls': '[]',
      '--prefix': '"probability"',
      '--prediction': 'false',
    },
  },
  position: { offset: 18, row: 3, line: 4 },
  prefix: {
    offset: 18,
    blocks: '',
    digest: 'efc468ac437ff841bd000d6b93a048c9aa5940e451ecd2e6f4aa9c5315e88777',
  },
  output: {
    bytes: 96,
    uncompressed: 96,
    tail: '2fe6987af47086e301814df07472cb9bc2f08becf59ab8cfa23761929898376b',
  },
  rejects: { bytes: 0, tail: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' },
  classes: ['no', 'yes'],
  accounts: {
    ...{ read: 2, scored: 2, rejected: 0, rejectedBy: {}, blank: 0 },
    ...{ batches: 1, calls: 3, retries: {}, bytesIn: 18, bytesOut: 96 },
  },
});

describe('a checkpoint that version 0.1.0 wrote', () => {
  for (const name of ['in.csv', 'in.csv.gz'])
    it(`is resumed, with ${name} as input`, async t => {
      const folder = await newFolder(t);
      const gzip = name.endsWith('.gz');
      const [path, output] = [join(folder, name), join(folder, 'out.csv')];
      await writeFile(path, gzip ? gzipSync(INPUT) : INPUT);
      const { size, mtimeMs: modified } = await stat(path);
      await writeFile(`${output}.partial`, `${WRITTEN}3,n3,0.39`); // killed in the middle of a row
      await writeFile(`${output}.checkpoint`, JSON.stringify(checkpointOf({ path, size, modified, gzip })));

      const { client, stub } = await connect(t, { report: { classes: ['no', 'yes'] } });
      const scored = await score(job({ input: path, output, features: ['id'], batchRows: 2 }), client);
      assert.equal(scored?.resumedFrom, 3);
      assert.deepEqual([scored.accounts.read, scored.accounts.batches, stub.bodies.length], [6, 3, 2]);
      const written = await readFile(output, 'utf8');
      assert.ok(written.startsWith(`${WRITTEN}3,n3,0.39`));
      assert.equal(written.split('\n').length, INPUT.split('\n').length);
    });
});
