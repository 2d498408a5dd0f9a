import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parquetMetadata } from 'hyparquet';
import { writeRow } from '../../../../src/base/write-row.ts';
import { DATA_PAGE_V2, PAGE } from '../../../../src/formats/parquet/footer/numbers.ts';
import {
  openParquet,
  type ParquetFile,
  rangesOf,
} from '../../../../src/formats/parquet/footer/parquet-file.ts';
import { readStructAt } from '../../../../src/formats/parquet/footer/thrift.ts';
import { type EncoderOptions, ParquetEncoder } from '../../../../src/formats/parquet/writing/file-encoder.ts';
import { parquetOf, storedBytes, textOfParquet } from '../../../support/parquet.ts';
import { runs } from '../../../support/random-tests.ts';
import { root } from '../../../support/root.ts';

const fixture = (name: string): Promise<ParquetFile> =>
  openParquet(storedBytes(readFileSync(join(root, 'fixtures/parquet', name))), name);

const columns = [
  { name: 'probability_a.b', type: 'number' },
  { name: 'predicted', type: 'text' },
] as const;

const five = (['text', 'text', 'number', 'number', 'text'] as const).map((type, index) => ({
  name: 'abcde'[index] ?? '',
  type,
}));

const options = { columns, nulls: new Set<string>(), file: 'out.parquet' };
const dialect = { delimiter: ',', quote: '"', loneCr: false };

/** The file that an encoder makes; from a group on, another one with the same options goes on. */
async function encode(
  more: Partial<EncoderOptions>,
  texts: readonly string[],
  resumedAt = 0,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let notes: string[] = [];
  let encoder = new ParquetEncoder({ ...options, dialect, ...more });
  pieces.push(Buffer.from(encoder.start));
  for (const [index, text] of texts.entries()) {
    if (index === resumedAt) {
      encoder = new ParquetEncoder({ ...options, dialect, ...more });
      notes = JSON.parse(JSON.stringify(notes));
    }
    const note = await encoder.group(
      Buffer.from(text),
      notes,
      async bytes => void pieces.push(Buffer.from(bytes)),
    );
    if (note !== undefined) notes.push(note);
  }
  return Buffer.concat([...pieces, ...encoder.end(notes)]);
}

const rowsOf = (count: number, from: number): string =>
  Array.from({ length: count }, (_, row) =>
    (from + row) % 5 === 0 ? ',\n' : `${(from + row) / 8},r"${row}\n`,
  )
    .join('')
    .replaceAll(/,r"(\d+)/g, ',"r""$1"');

const textsFor = ({ groups }: ParquetFile): string[] =>
  groups.map(({ rows, before }) => rowsOf(rows, before));

const allOf = (file: ParquetFile) => ({
  file,
  columns: file.columns.map(column => ({ column, name: column.name })),
});

const bytesIn = async (file: ParquetFile, name: string): Promise<Buffer[]> => {
  const column = file.columns.find(column => column.name === name);
  assert.ok(column);
  const ranges = file.groups.flatMap(group => rangesOf(group, column));
  return Promise.all(ranges.map(({ from, to }) => file.stored.read(from, to)));
};

describe('columns that are appended to a Parquet file', () => {
  for (const name of ['polars.parquet', 'pyarrow-nested.parquet', 'duckdb-v2.parquet', 'spark-int96.parquet'])
    it(`leave the others as they are: ${name}`, async () => {
      const file = await fixture(name);
      const made = await encode({ copied: allOf(file) }, textsFor(file));
      const copy = await openParquet(storedBytes(made), 'out.parquet');
      assert.deepEqual(
        copy.columns.map(column => column.name),
        [...file.columns.map(column => column.name), 'probability_a.b', 'predicted'],
      );
      assert.deepEqual(
        copy.groups.map(({ rows }) => rows),
        file.groups.map(({ rows }) => rows),
      );
      for (const { name: column } of file.columns)
        assert.deepEqual(await bytesIn(copy, column), await bytesIn(file, column));
      const texts = await textOfParquet(made);
      const wanted = readFileSync(join(root, 'fixtures/parquet', name.replace('.parquet', '.txt')), 'utf8');
      assert.ok(texts.startsWith(`${wanted.slice(0, wanted.indexOf('\n'))},probability_a.b,predicted\n`));
    });

  it('may be next to some of them, with other names', async () => {
    const file = await fixture('polars.parquet');
    const [id, , , , , , , text] = file.columns;
    assert.ok(id !== undefined && text !== undefined);
    const kept = [
      { column: text, name: 'note' },
      { column: id, name: 'id' },
    ];
    const made = await encode({ copied: { file, columns: kept } }, textsFor(file));
    const [header] = (await textOfParquet(made)).split('\n');
    assert.equal(header, 'note,id,probability_a.b,predicted');
  });

  it('are the same if another process goes on after any group', async () => {
    const file = await fixture('polars.parquet');
    const texts = textsFor(file);
    const whole = await encode({ copied: allOf(file) }, texts);
    for (let group = 1; group < texts.length; group++)
      assert.deepEqual(await encode({ copied: allOf(file) }, texts, group), whole);
  });

  it('are doubles in pages of at most a mebibyte, and only those that are there', async () => {
    const numbers = {
      columns: [
        { name: 'a', type: 'number', isVaried: true },
        { name: 'b', type: 'number', isVaried: true },
      ],
    } as const;
    const rows = 150_000;
    const lines = Array.from({ length: rows }, (_, row) => {
      const a = row % 7 === 0 || row >= 131_072 ? '' : row % 11 === 0 ? 'NaN' : `${row / 3}`;
      return `${a},${row % 2 === 0 ? '-0' : '0'}\n`;
    });
    const made = await encode(numbers, [lines.join('')]);
    assert.ok((await textOfParquet(made)) === `a,b\n${lines.join('')}`);
    const [chunk = Buffer.alloc(0)] = await bytesIn(await openParquet(storedBytes(made), 'out.parquet'), 'b');
    const pageRows: number[] = [];
    for (let at = 0; at < chunk.length; ) {
      const { struct, end } = readStructAt(chunk, at);
      pageRows.push(struct.struct(PAGE.dataV2).integer(DATA_PAGE_V2.rows));
      at = end + struct.integer(PAGE.compressedBytes);
    }
    assert.deepEqual(pageRows, [131_072, 18_928]);
    const {
      row_groups: [group],
    } = parquetMetadata(new Uint8Array(made).buffer);
    const [a, b] = group?.columns.map(column => column.meta_data?.statistics) ?? [];
    assert.deepEqual([a?.min_value, a?.max_value, a?.null_count], [1 / 3, 131_071 / 3, 37_653n]);
    assert.deepEqual([b?.min_value, b?.max_value, b?.null_count], [-0, 0, 0n]);
  });

  it('must be those of all rows of a group', async () => {
    const file = await fixture('polars.parquet');
    await assert.rejects(encode({ copied: allOf(file) }, ['1,a\n']), /group 0 has 1 rows/);
  });
});

describe('a Parquet file that is made of a CSV', () => {
  it('has its values', async () => {
    const cell = fc.oneof(fc.string(), fc.constantFrom('', 'a,b', '"', '\n', ' ', 'é'));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(cell, fc.double({ noNaN: true })), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 8 }),
        async (rows, groupRows) => {
          const written = rows.map(([text, number]) => [text, Object.is(number, -0) ? '-0' : `${number}`]);
          const csv = [['text', 'number'], ...written].map(row => writeRow(row)).join('');
          const read = await textOfParquet(await parquetOf(csv, { groupRows, numbers: ['number'] }));
          assert.equal(read, csv);
        },
      ),
      { numRuns: runs(200) },
    );
  });

  it('has its values in several pages, with and without a dictionary', async () => {
    const rows = Array.from({ length: 140_000 }, (_, row) => [
      row % 3 === 0 ? 'often' : row % 5 === 0 ? '' : `é${row % 700}`,
      row % 9 === 0 ? '' : `alone ${row}`,
      row % 4 === 0 ? '' : `${row % 50}.5`,
      `${row / 7}`,
      'one',
    ]);
    const csv = rows.map(row => `${row.join(',')}\n`).join('');
    const made = await encode({ columns: five }, [csv]);
    assert.ok((await textOfParquet(made)) === `a,b,c,d,e\n${csv}`);
    const {
      row_groups: [group],
    } = parquetMetadata(new Uint8Array(made).buffer);
    const chunks = group?.columns.map(({ meta_data: column }) => column) ?? [];
    assert.deepEqual(
      chunks.map(column => column?.encodings.includes('RLE_DICTIONARY')),
      [true, false, true, false, true],
    );
    assert.deepEqual(
      chunks.map(column => [column?.statistics?.null_count, column?.statistics?.min_value]),
      [
        [18_666n, 'often'],
        [15_556n, 'alone 1'],
        [35_000n, 0.5],
        [0n, -0],
        [0n, 'one'],
      ],
    );
  });

  it('has no group for blank lines', async () => {
    const file = await openParquet(storedBytes(await encode({}, ['\n\n', '1,a\n\n'])), 'out.parquet');
    assert.deepEqual([file.rows, file.groups.length], [1, 1]);
  });

  it('may have no rows', async () => {
    assert.equal(await textOfParquet(await encode({}, [])), 'probability_a.b,predicted\n');
  });

  it('tells an empty text from a missing value', async () => {
    const text = await textOfParquet(await encode({}, ['1,""\n2,\n']));
    assert.equal(text, 'probability_a.b,predicted\n1,""\n2,\n');
  });

  for (const wrong of ['abc', '1e400', '-1e-400', '9007199254740993', '1,5', '0x10', '1_000'])
    it(`refuses a number that it cannot have: ${wrong}`, async () => {
      const text = writeRow([wrong, 'a']);
      await assert.rejects(encode({}, [text]), { code: 'not_a_number', quote: `it is "${wrong}"` });
    });

  it('has nothing where a text stands for a missing number', async () => {
    const text = await textOfParquet(await encode({ nulls: new Set(['NA']) }, ['NA,NA\n']));
    assert.equal(text, 'probability_a.b,predicted\n,NA\n');
  });
});
