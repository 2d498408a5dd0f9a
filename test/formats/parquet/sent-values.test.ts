import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { protocolOf } from '../../../src/client/protocols/protocols.ts';
import { ServiceClient } from '../../../src/client/service-client.ts';
import { newFolder } from '../../support/folder.ts';
import { parquetOf } from '../../support/parquet.ts';
import * as dialects from '../../support/protocols/dialects.ts';
import { startModelServer } from '../../support/protocols/model-server.ts';
import { root } from '../../support/root.ts';
import { job } from '../../support/scoring/job.ts';
import { score } from '../../support/scoring/score.ts';
import { key } from '../../support/secrets.ts';

const features = ['id', 'u64', 'f64', 'b', 's', 'd18', 'us', 'none'];

const polars = readFileSync(join(root, 'fixtures/parquet/polars.parquet'));

/** A file with a column of numbers, in which NaN takes the place of one, and one of texts. */
async function withNaN(): Promise<Buffer> {
  const replaced = 1.2345678e200;
  const bytes = await parquetOf(`x,s\n1.5,NaN\n${replaced},a\n-2,b\n`, { numbers: ['x'] });
  const [from, to] = [Buffer.alloc(8), Buffer.alloc(8)];
  from.writeDoubleLE(replaced);
  to.writeDoubleLE(Number.NaN);
  const at = bytes.indexOf(from);
  assert.ok(at > 0);
  bytes.set(to, at);
  return bytes;
}

/** Scores a Parquet file to an output of this format. @returns what was sent, and the result */
async function sent(t: TestContext, format: string, bytes: Buffer, features: string[]) {
  const { url, calls } = await startModelServer(t, dialects.kserveV1);
  const folder = await newFolder(t);
  const [input, output] = [join(folder, 'in.parquet'), join(folder, `out.${format}`)];
  await writeFile(input, bytes);
  const client = new ServiceClient({
    url: new URL(url),
    key,
    name: 'model-server',
    concurrency: 1,
    maxOutage: 600,
    protocol: protocolOf('kserve-v1'),
  });
  t.after(() => client.close());
  const keep = format === 'parquet' ? 'all' : features;
  const values = job({ input, output, features, keep, batchRows: 10_000, classes: ['no', 'yes'] });
  const result = await score(values, client);
  return { rows: calls.flatMap(call => call.rows), bodies: calls.map(({ body }) => body), result };
}

describe('what is sent of Parquet', () => {
  it('is what its schema says, whatever the format of the output', async t => {
    const [csv, jsonl, parquet] = [
      await sent(t, 'csv', polars, features),
      await sent(t, 'jsonl', polars, features),
      await sent(t, 'parquet', polars, features),
    ];
    assert.deepEqual(jsonl.bodies, csv.bodies);
    assert.deepEqual(parquet.bodies, csv.bodies);
    const counts = [csv, jsonl, parquet].map(({ result }) => result?.rowCounts.rejectedBy);
    assert.deepEqual(counts[1], counts[0]);
    assert.deepEqual(counts[2], counts[0]);
    const typesOf = (name: string) => new Set(csv.rows.map(row => typeof row[name]));
    // Null is an object.
    const types = Object.fromEntries(features.map(name => [name, [...typesOf(name)].sort().join(' ')]));
    assert.deepEqual(types, {
      id: 'number',
      u64: 'number object',
      f64: 'number object',
      b: 'boolean object',
      s: 'object string',
      d18: 'number object',
      us: 'object string',
      none: 'object',
    });
    assert.ok(csv.bodies[0]?.includes('"s":"007"'));
  });

  it('has null for NaN in a column of floats, and not in one of texts', async t => {
    const bytes = await withNaN();
    for (const format of ['csv', 'jsonl', 'parquet']) {
      const { rows, result } = await sent(t, format, bytes, ['x', 's']);
      assert.deepEqual(rows, [
        { x: 1.5, s: 'NaN' },
        { x: null, s: 'a' },
        { x: -2, s: 'b' },
      ]);
      assert.equal(result?.rowCounts.scored, 3, format);
    }
  });
});
