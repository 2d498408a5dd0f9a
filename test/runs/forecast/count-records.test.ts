import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { csvFormat } from '../../../src/formats/csv/csv-layout.ts';
import { countRecords } from '../../../src/runs/forecast/count-records.ts';
import { openSource } from '../../../src/storage/backends.ts';
import { newFolder } from '../../support/folder.ts';

it('the first batches are still there when the memory of the others has been reused', async t => {
  const path = join(await newFolder(t), 'in.csv');
  const rows = Array.from({ length: 100_000 }, (_, row) => `${row},${'x'.repeat(50)}\n`);
  await writeFile(path, `a,b\n${rows.join('')}`);
  const options = { batchRows: 1000, batchBytes: 1 << 20, maxRecordBytes: 1 << 20 };
  const source = await openSource(path);
  try {
    const opened = await csvFormat.readLayout(source, options);
    const { contentSize } = await source.identify();
    const { first } = await countRecords({
      source,
      opened,
      options,
      contentSize,
      scorer: undefined,
      keep: 20,
    });
    assert.equal(first.map(({ bytes }) => bytes.toString()).join(''), rows.slice(0, 20_000).join(''));
  } finally {
    source.close();
  }
});

it('rows of a large input are estimated from its beginning, those of a small one counted', async t => {
  const text = `a,b\n${'1,2\n'.repeat(100_000)}`;
  const folder = await newFolder(t, { 'in.csv': text, 'in.csv.gz': gzipSync(text) });
  const options = { batchRows: 1000, batchBytes: 1 << 20, maxRecordBytes: 1 << 20 };
  const count = async (countedBytes: number, name = 'in.csv') => {
    const source = await openSource(join(folder, name));
    try {
      const opened = await csvFormat.readLayout(source, options);
      const { contentSize } = await source.identify();
      return await countRecords({
        source,
        opened,
        options,
        contentSize,
        scorer: undefined,
        keep: 1,
        countedBytes,
      });
    } finally {
      source.close();
    }
  };
  const all = await count(1 << 30);
  assert.deepEqual([all.rows, all.batches, all.isExact, all.first.length], [100_000, 100, true, 1]);
  const part = await count(40_000);
  assert.deepEqual([part.isExact, part.isLowerBound], [false, false]);
  assert.ok(Math.abs(part.rows - 100_000) < 10, String(part.rows));
  const ofGzip = await count(40_000, 'in.csv.gz');
  assert.deepEqual([ofGzip.isExact, ofGzip.isLowerBound, ofGzip.rows < 100_000], [false, true, true]);
  assert.equal((await count(1 << 30, 'in.csv.gz')).isLowerBound, false);
});
