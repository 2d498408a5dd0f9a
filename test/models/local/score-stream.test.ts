import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { openLocalService } from '../../../src/models/local/local-service.ts';
import { openSource } from '../../../src/storage/backends.ts';
import { newFolder } from '../../support/folder.ts';
import { csv, history } from '../../support/service/history.ts';
import { trainedHome } from '../../support/service/serving.ts';

it('a CSV of many batches that is scored as one upload keeps each row, although chunks are collected', async t => {
  const input = join(await newFolder(t), 'in.csv');
  const [header = [], ...rows] = history({ rows: 30_000 });
  await writeFile(input, csv([header, ...rows]));
  const service = await openLocalService(await trainedHome());
  t.after(() => service.close());
  const source = await openSource(input);
  const bytes = (async function* () {
    for (;;) {
      const { value, done } = await source.chunks.next();
      if (done) return;
      yield Buffer.from(value);
    }
  })();
  const { chunks, rowCounts } = await service.batchPredict(
    'one',
    { bytes, format: 'csv', name: input },
    undefined,
  );
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  const lines = Buffer.concat(all).toString().trimEnd().split('\n');
  assert.equal(rowCounts().scored, rows.length);
  assert.ok(all.length > 5);
  assert.deepEqual(
    lines.slice(1).map(line => line.slice(0, line.indexOf(','))),
    rows.map(([customer]) => customer),
  );
});
