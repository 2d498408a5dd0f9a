import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { RowcastError } from '../../../src/base/errors.ts';
import { openParquet } from '../../../src/formats/parquet/footer/parquet-file.ts';
import { storedBytes, textOfParquet } from '../../support/parquet.ts';
import { root } from '../../support/root.ts';

const folder = join(root, 'fixtures/parquet');
const files = readdirSync(folder).filter(name => name.endsWith('.parquet'));
const bytesOf = (name: string): Buffer => readFileSync(join(folder, name));

describe('Parquet that another program has written', () => {
  // The texts were compared with the values that PyArrow reads, and those of DuckDB's second version with those of its first.
  for (const name of files)
    it(`is read: ${name}`, async () => {
      const wanted = readFileSync(join(folder, name.replace('.parquet', '.txt')), 'utf8');
      assert.equal(await textOfParquet(bytesOf(name)), wanted);
    });

  it('has columns that are not read, and says why', async () => {
    const file = await openParquet(storedBytes(bytesOf('pyarrow-nested.parquet')), 'in.parquet');
    const unsupported = file.columns.filter(({ type }) => type.is === 'unsupported');
    assert.deepEqual(
      unsupported.map(({ name }) => name),
      ['list', 'of'],
    );
  });

  it('is refused if it is cut off anywhere', async () => {
    const bytes = bytesOf('pyarrow-lz4-split.parquet');
    for (let size = 0; size < bytes.length; size++)
      await assert.rejects(textOfParquet(bytes.subarray(0, size)), { code: 'bad_parquet' });
  });

  it('is read or refused if a byte is wrong', async () => {
    const bytes = bytesOf('polars.parquet');
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
        const wrong = Buffer.from(bytes);
        wrong[at] = ((wrong[at] ?? 0) + by) % 256;
        await textOfParquet(wrong).catch(error => assert.ok(error instanceof RowcastError, error));
      }),
      { numRuns: 100 },
    );
  });

  it('is refused if it is encrypted', async () => {
    const bytes = Buffer.concat([bytesOf('polars.parquet').subarray(0, -1), Buffer.from('E')]);
    await assert.rejects(textOfParquet(bytes), { code: 'bad_parquet', message: /encrypted/ });
  });
});
