import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { RowcastError } from '../../../src/base/errors.ts';
import {
  CHUNK,
  COLUMN,
  ELEMENT,
  FILE,
  GROUP,
  LOGICAL,
  PAGE,
} from '../../../src/formats/parquet/footer/numbers.ts';
import { openParquet } from '../../../src/formats/parquet/footer/parquet-file.ts';
import { readStructAt, ThriftStruct, writeStruct } from '../../../src/formats/parquet/footer/thrift.ts';
import { snappyCompress } from '../../../src/formats/parquet/libraries.ts';
import { readParquetLayout } from '../../../src/formats/parquet/read-layout.ts';
import {
  changeAll,
  parquetOf,
  parquetSource,
  storedBytes,
  textOfParquet,
  withFooter,
} from '../../support/parquet.ts';
import { root } from '../../support/root.ts';
import { slow } from '../../support/slow.ts';

const folder = join(root, 'fixtures/parquet');
const files = readdirSync(folder).filter(name => name.endsWith('.parquet'));
const bytesOf = (name: string): Buffer => readFileSync(join(folder, name));

/** A run of 2^27 levels of 3. */
const RUN = [0xfe, 0xff, 0xff, 0x7f, 3];

describe('Parquet that another program has written', () => {
  // The texts were compared with the values that PyArrow reads, and those of DuckDB's second version with those of its
  // first.
  for (const name of files)
    it(`is read: ${name}`, async () => {
      const wanted = readFileSync(join(folder, name.replace('.parquet', '.txt')), 'utf8');
      assert.equal(await textOfParquet(bytesOf(name)), wanted);
    });

  it('has columns that are not read, and says why', async () => {
    for (const [name, list] of [
      ['pyarrow-nested.parquet', 'list'],
      ['pyarrow-structs-v1.parquet', 'profile.tags'],
    ] as const) {
      const file = await openParquet(storedBytes(bytesOf(name)), 'in.parquet');
      const unsupported = file.values.filter(({ type }) => type.is === 'unsupported');
      assert.deepEqual(
        unsupported.map(({ name, type }) => [name, type]),
        [[list, { is: 'unsupported', what: 'a list' }]],
      );
    }
  });

  it('is refused if more describes its columns than a reader takes', async () => {
    const stored = storedBytes(bytesOf('pyarrow-nested.parquet'));
    await assert.rejects(openParquet(stored, 'in.parquet', { maxFooterBytes: 100 }), {
      code: 'too_many_columns',
      message: /bytes describe the columns and row groups of the file; the limit is 100$/,
    });
  });

  it('is refused if it has more columns than a reader takes, before they are read', async () => {
    const stored = storedBytes(bytesOf('pyarrow-nested.parquet'));
    const { columns } = await openParquet(stored, 'in.parquet');
    // Those in other columns count, too.
    const count = columns.reduce((sum, { elements }) => sum + elements.length, 0);
    assert.ok(count > columns.length);
    await openParquet(stored, 'in.parquet', { maxColumns: count });
    await assert.rejects(openParquet(stored, 'in.parquet', { maxColumns: count - 1 }), {
      code: 'too_many_columns',
      message: `the file has ${count} columns, with those in other columns; the limit is ${count - 1}`,
    });
  });

  it('is refused if a member of a struct has no name', async () => {
    const wrong = withFooter(bytesOf('pyarrow-structs-v1.parquet'), footer =>
      changeAll(footer, FILE.schema, element => {
        if (element.text(ELEMENT.name) === 'zip') element.delete(ELEMENT.name);
      }),
    );
    await assert.rejects(openParquet(storedBytes(wrong), 'in.parquet'), { code: 'bad_parquet' });
  });

  it('is refused if it is cut off anywhere', async () => {
    const bytes = bytesOf('pyarrow-lz4-split.parquet');
    for (let size = 0; size < bytes.length; size++)
      await assert.rejects(textOfParquet(bytes.subarray(0, size)), { code: 'bad_parquet' });
  });

  for (const name of ['polars.parquet', 'pyarrow-structs-delta.parquet'])
    it(`is read or refused if a byte is wrong: ${name}`, async () => {
      const bytes = bytesOf(name);
      await fc.assert(
        fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
          const wrong = Buffer.from(bytes);
          wrong[at] = ((wrong[at] ?? 0) + by) % 256;
          await textOfParquet(wrong).catch(error => assert.ok(error instanceof RowcastError, error));
        }),
      );
    });

  it('is refused if its counts of rows are wrong', async () => {
    const bytes = bytesOf('pyarrow-lz4-split.parquet');
    for (const [ofGroup, ofFile] of [
      [-10, -10],
      [24, 25],
      [10_000_000_000, 10_000_000_000],
    ] as const) {
      const wrong = withFooter(bytes, footer => {
        changeAll(footer, FILE.groups, (group, index) => {
          if (index === 0) group.setInteger(GROUP.rows, ofGroup, 'i64');
        });
        footer.setInteger(FILE.rows, ofFile, 'i64');
      });
      const reading = readParquetLayout(parquetSource(wrong), { maxRecordBytes: 1 });
      await assert.rejects(reading, { code: ofFile > 1e9 ? 'group_too_large' : 'bad_parquet' });
    }
  });

  it('is refused if a page has many more bytes than its footer says', async () => {
    const bytes = await parquetOf('a\nx\n');
    const { struct: header, end: start } = readStructAt(bytes, 4);
    const end = start + header.integer(PAGE.compressedBytes);
    header.setInteger(PAGE.uncompressedBytes, 65 << 20, 'i32');
    const page = Buffer.concat([writeStruct(header), bytes.subarray(start, end)]);
    const wrong = withFooter(bytes, footer => {
      changeAll(footer, FILE.groups, group =>
        changeAll(group, GROUP.columns, (chunk, index) => {
          const metadata = chunk.struct(CHUNK.metadata);
          if (index === 0) metadata.setInteger(COLUMN.compressedBytes, page.length, 'i64');
          chunk.setStruct(CHUNK.metadata, metadata);
        }),
      );
    });
    await assert.rejects(textOfParquet(Buffer.concat([bytes.subarray(0, 4), page, wrong.subarray(end)])), {
      code: 'bad_parquet',
      message: /the column "a": its pages are larger than the footer says/,
    });
  });

  it('has integers of 128 bits, which are refused by name', async () => {
    const wrong = withFooter(await parquetOf('a,b\nx,y\n'), footer =>
      changeAll(footer, FILE.schema, (element, index) => {
        if (index !== 1) return;
        const [logical, integer] = [new ThriftStruct(), new ThriftStruct()];
        integer.members.set(1, { type: 3, value: Buffer.of(128) });
        integer.members.set(2, { type: 1, value: true });
        logical.setStruct(LOGICAL.integer, integer);
        element.setStruct(ELEMENT.logical, logical);
      }),
    );
    const { columns } = await openParquet(storedBytes(wrong), 'in.parquet');
    assert.deepEqual(columns[0]?.type, { is: 'unsupported', what: 'integers of 128 bits' });
  });

  it('is refused if a dictionary has many more values than its group has rows', async () => {
    const wrong = withDictionaries(await parquetOf(`a\n${'x\n'.repeat(40)}`), 1, 2 << 20);
    await assert.rejects(textOfParquet(wrong), { code: 'bad_parquet', message: /many more values/ });
  });

  it('is refused if its dictionaries have many more values together', async () => {
    const bytes = await parquetOf(`a\n${'x\n'.repeat(40)}`);
    assert.equal(await textOfParquet(withDictionaries(bytes, 2, 400_000)), `a\n${'""\n'.repeat(40)}`);
    const wrong = withDictionaries(bytes, 4, 400_000);
    await assert.rejects(textOfParquet(wrong), { code: 'bad_parquet', message: /many more values/ });
  });

  it('is refused if a run of levels is longer than its page, also where a library decodes the values', async () => {
    const bytes = bytesOf('pyarrow-structs-delta.parquet');
    const { groups, values } = await openParquet(storedBytes(bytes), 'in.parquet');
    const leaf = values.find(({ name }) => name === 'profile.plan.fee')?.leaves[0] ?? 0;
    const { end } = readStructAt(bytes, groups[0]?.range(leaf).from ?? 0);
    const wrong = Buffer.from(bytes);
    wrong.set(RUN, end);
    await assert.rejects(textOfParquet(wrong), {
      code: 'bad_parquet',
      message: /"profile\.plan\.fee": levels are cut off/,
    });
  });

  it('is refused if two groups share bytes', async () => {
    const bytes = await parquetOf('a,b\nx,y\nx,y\n', { groupRows: 1 });
    const wrong = withFooter(bytes, footer => {
      const [first] = footer.structs(FILE.groups);
      changeAll(footer, FILE.groups, group =>
        group.setStructs(GROUP.columns, first?.structs(GROUP.columns) ?? []),
      );
    });
    await assert.rejects(textOfParquet(wrong), { code: 'bad_parquet', message: /share bytes/ });
  });

  it('has all values in more than a thousand columns', async () => {
    const names = Array.from({ length: 1500 }, (_, column) => `c${column}`);
    const wide = [
      names,
      ...[1, 2, 3, 4].map(row => names.map(name => (row === 2 ? '' : `${name}-${row % 2}`))),
    ];
    const csv = wide.map(row => `${row.join(',')}\n`).join('');
    assert.ok((await textOfParquet(await parquetOf(csv, { groupRows: 3 }))) === csv);
  });

  slow('has all values of dictionaries for which the kernel has no memory', async () => {
    // Each text twice, so that it is in a dictionary.
    const long = Array.from({ length: 14_000 }, (_, row) => `${row % 7000}`.padStart(10_000, 'x'));
    const large = `a\n${long.join('\n')}\n`;
    const bytes = await parquetOf([['a'], ...long.map(text => [text])], { groupRows: 14_000 });
    assert.ok((await textOfParquet(bytes)) === large);
  });

  it('is refused if it is encrypted', async () => {
    const bytes = Buffer.concat([bytesOf('polars.parquet').subarray(0, -1), Buffer.from('E')]);
    await assert.rejects(textOfParquet(bytes), { code: 'bad_parquet', message: /encrypted/ });
  });
});

/** A file of one column whose dictionary has so many empty texts, so many times. */
function withDictionaries(bytes: Buffer, times: number, count: number): Buffer {
  const { struct: header, end: start } = readStructAt(bytes, 4);
  const after = start + header.integer(PAGE.compressedBytes);
  const values = Buffer.alloc(4 * count);
  const packed = snappyCompress(values);
  const dictionary = header.struct(PAGE.dictionary);
  dictionary.setInteger(1, count, 'i32');
  header.setStruct(PAGE.dictionary, dictionary);
  header.setInteger(PAGE.uncompressedBytes, values.length, 'i32');
  header.setInteger(PAGE.compressedBytes, packed.length, 'i32');
  const page = Buffer.concat([writeStruct(header), packed]);
  const pages = new Array<Buffer>(times).fill(page);
  const larger = Buffer.concat([bytes.subarray(0, 4), ...pages, bytes.subarray(after)]);
  return withFooter(larger, footer =>
    changeAll(footer, FILE.groups, group =>
      changeAll(group, GROUP.columns, chunk => {
        const metadata = chunk.struct(CHUNK.metadata);
        const size = metadata.integer(COLUMN.compressedBytes) + times * page.length - (after - 4);
        metadata.setInteger(COLUMN.compressedBytes, size, 'i64');
        metadata.setInteger(COLUMN.uncompressedBytes, times * values.length, 'i64');
        chunk.setStruct(CHUNK.metadata, metadata);
      }),
    ),
  );
}
