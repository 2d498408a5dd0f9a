import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ColumnOptions } from '../../../../src/formats/output-columns.ts';
import { copiedOf } from '../../../../src/formats/parquet/encoder.ts';
import { FILE } from '../../../../src/formats/parquet/footer/numbers.ts';
import { openParquet } from '../../../../src/formats/parquet/footer/parquet-file.ts';
import { arrowSchema } from '../../../../src/formats/parquet/writing/key-values.ts';
import { verifyOutput } from '../../../../src/runs/verify/verify.ts';
import { newFolder } from '../../../support/folder.ts';
import { changeAll, storedBytes, withFooter } from '../../../support/parquet.ts';
import { runs } from '../../../support/random-tests.ts';
import { root } from '../../../support/root.ts';
import { job } from '../../../support/scoring/job.ts';
import { numbers } from '../../../support/scoring/predictions.ts';
import { rowScorer } from '../../../support/scoring/row-scorer.ts';
import { score } from '../../../support/scoring/score.ts';

const INPUT = readFileSync(join(root, 'fixtures/parquet/pyarrow-arrow-types.parquet'));

/** A table of a flatbuffer (the "FlatBuffers Internals" of its documentation). */
class Table {
  readonly bytes: Buffer;
  readonly at: number;

  constructor(bytes: Buffer, at: number) {
    this.bytes = bytes;
    this.at = at;
  }

  static rootOf = (bytes: Buffer): Table => new Table(bytes, bytes.readUInt32LE(0));

  place(slot: number): number {
    const sizes = this.at - this.bytes.readInt32LE(this.at);
    const at = 4 + 2 * slot;
    return at < this.bytes.readUInt16LE(sizes) ? this.bytes.readUInt16LE(sizes + at) : 0;
  }

  target(slot: number): number | undefined {
    const at = this.at + this.place(slot);
    assert.equal(at % 2, 0);
    return this.place(slot) === 0 ? undefined : at + this.bytes.readUInt32LE(at);
  }

  number(slot: number, size: number): number {
    return this.place(slot) === 0 ? 0 : this.bytes.readIntLE(this.at + this.place(slot), size);
  }

  text(slot: number): string | undefined {
    const at = this.target(slot);
    if (at === undefined) return undefined;
    const end = at + 4 + this.bytes.readUInt32LE(at);
    assert.deepEqual([at % 4, this.bytes[end]], [0, 0]);
    return this.bytes.toString('utf8', at + 4, end);
  }

  table(slot: number): Table | undefined {
    const at = this.target(slot);
    return at === undefined ? undefined : new Table(this.bytes, at);
  }

  tables(slot: number): Table[] {
    const at = this.target(slot);
    assert.ok(at !== undefined && at % 4 === 0);
    return Array.from({ length: this.bytes.readUInt32LE(at) }, (_, index) => {
      const place = at + 4 + 4 * index;
      return new Table(this.bytes, place + this.bytes.readUInt32LE(place));
    });
  }
}

/** The names of `Type` of Schema.fbs that the files have. */
const TYPES: Readonly<Record<number, string>> = {
  2: 'int',
  3: 'float',
  5: 'utf8',
  10: 'timestamp',
  13: 'struct',
  18: 'duration',
  20: 'large utf8',
};

/** A field in words: its name and type, and what the type says. */
function words(field: Table): string {
  assert.equal(field.number(1, 1), 1, 'it may be null');
  const name = field.text(0);
  const own = field.table(3);
  const type = TYPES[field.number(2, 1)];
  const dictionary = field.table(4) === undefined ? '' : ' in a dictionary';
  const unit = type === 'timestamp' || type === 'duration' || type === 'float' ? ` ${own?.number(0, 2)}` : '';
  const zone = type === 'timestamp' ? ` ${own?.text(1)}` : '';
  const members = field.tables(5).map(words);
  return `${name}: ${type}${unit}${zone}${dictionary}${members.length === 0 ? '' : ` (${members.join(', ')})`}`;
}

/** The fields of a message in base64, in words. */
function fieldsOf(stored: string | undefined): string[] {
  const message = Buffer.from(stored ?? '', 'base64');
  const [marker, size] = [message.readUInt32LE(0), message.readUInt32LE(4)];
  assert.deepEqual([marker, size % 8, message.length], [0xffffffff, 0, size + 8]);
  const table = Table.rootOf(message.subarray(8));
  assert.deepEqual([table.number(0, 2), table.number(1, 1)], [4, 1], 'a schema of the fifth version');
  return table.table(2)?.tables(1).map(words) ?? [];
}

/** The metadata of a message in base64; undefined if it has none. */
function metadataOf(stored: string | undefined): Record<string, string | undefined> | undefined {
  const schema = Table.rootOf(Buffer.from(stored ?? '', 'base64').subarray(8)).table(2);
  if (schema?.target(2) === undefined) return undefined;
  return Object.fromEntries(schema.tables(2).map(pair => [pair.text(0), pair.text(1)]));
}

const FIELDS = [
  'id: int',
  'region: utf8 in a dictionary',
  'took: duration 2',
  'at: timestamp 2 Europe/Berlin',
  'note: large utf8',
  'profile: struct (zip: utf8 in a dictionary, since: duration 0)',
];
const APPENDED = ['probability_é: float 2', 'predicted: utf8'];

const appended = [
  { name: 'probability_é', type: 'number' },
  { name: 'predicted', type: 'text' },
] as const;

const file = await openParquet(storedBytes(INPUT), 'in.parquet');

/** What a file says under a key. */
const storedIn = async (bytes: Buffer, key: string): Promise<string | undefined> => {
  const { footer } = await openParquet(storedBytes(bytes), 'file.parquet');
  return footer
    .structs(FILE.keyValues)
    .find(pair => pair.text(1) === key)
    ?.text(2);
};

const STORED = (await storedIn(INPUT, 'ARROW:schema')) ?? '';

const SPARK = 'org.apache.spark.sql.parquet.row.metadata';

const all = (): boolean => true;

const made = (stored: string, options: Pick<ColumnOptions, 'keep' | 'rename'> = {}): string | undefined =>
  arrowSchema(stored, file.columns, copiedOf(file, options).columns, appended, all);

describe('the schema that Arrow has stored in a file', () => {
  it('has the types of copied columns, and those of appended ones', () => {
    assert.deepEqual(fieldsOf(STORED), FIELDS);
    assert.deepEqual(fieldsOf(made(STORED)), [...FIELDS, ...APPENDED]);
  });

  it('has only the columns that are kept, in their order and with their new names', () => {
    for (const name of ['t', 'duration', 'é'.repeat(300)]) {
      const fields = fieldsOf(
        made(STORED, { keep: ['profile', 'took', 'at'], rename: { took: name, at: 'took' } }),
      );
      assert.deepEqual(fields, [
        FIELDS[5],
        `${name}: duration 2`,
        'took: timestamp 2 Europe/Berlin',
        ...APPENDED,
      ]);
    }
  });

  it('has the metadata that stays', () => {
    const metadata = { who: 'PyArrow', pandas: '{}', [SPARK]: '{}', geo: '{"é":1}' };
    assert.deepEqual(metadataOf(STORED), metadata);
    assert.deepEqual(metadataOf(made(STORED)), metadata);
    const { columns } = copiedOf(file, { keep: ['note'] });
    const some = (...left: readonly string[]): string | undefined =>
      arrowSchema(STORED, file.columns, columns, appended, key => left.includes(key));
    assert.deepEqual(metadataOf(some('geo', 'who')), { who: 'PyArrow', geo: '{"é":1}' });
    assert.deepEqual(fieldsOf(some('geo', 'who')), [FIELDS[4], ...APPENDED]);
    assert.equal(metadataOf(some()), undefined);
    assert.deepEqual(fieldsOf(some()), [FIELDS[4], ...APPENDED]);
  });

  it('may lack the mark at its beginning, as older writers left it out', () => {
    const message = Buffer.from(STORED, 'base64').subarray(4);
    assert.deepEqual(fieldsOf(made(message.toString('base64'))), [...FIELDS, ...APPENDED]);
  });

  it('is left out if it is damaged, or that of other columns', () => {
    const message = Buffer.from(STORED, 'base64');
    for (let size = 0; size < message.length; size += 7) made(message.toString('base64', 0, size));
    for (const wrong of ['', 'A', '////', '/////w==', 'not base64 at all', STORED.slice(0, 100)])
      assert.equal(made(wrong), undefined);
    const { columns } = file;
    assert.equal(arrowSchema(STORED, columns.slice(1), [], appended, all), undefined);
    assert.equal(arrowSchema(STORED, columns.toReversed(), [], appended, all), undefined);
    const renamed = columns.map(column => ({ ...column, name: `${column.name}s` }));
    assert.equal(arrowSchema(STORED, renamed, [], appended, all), undefined);
  });

  it('is left out or made if bytes are wrong', () => {
    const message = Buffer.from(STORED, 'base64');
    const change = fc.tuple(fc.nat(message.length - 1), fc.nat(255));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), changes => {
        const wrong = Buffer.from(message);
        for (const [at, byte] of changes) wrong[at] = byte;
        const options = { rename: { id: 'number', note: 'n' } };
        const written = made(wrong.toString('base64'), options);
        assert.ok(written === undefined || written.length < 2 * STORED.length);
      }),
      { numRuns: runs(2000) },
    );
  });
});

describe('what other programs have stored in a file whose columns are copied', () => {
  for (const [columns, left] of [
    [{}, ['who', 'pandas', 'geo']],
    [{ keep: ['note', 'region'] }, ['who']],
    [{ rename: { id: 'number' } }, ['who']],
  ] as const)
    it(`stays as far as it is true, and is verified: ${JSON.stringify(columns)}`, async t => {
      const folder = await newFolder(t);
      const files = { input: join(folder, 'in.parquet'), output: join(folder, 'out.parquet') };
      await writeFile(files.input, INPUT);
      const scorer = rowScorer(rows => numbers(rows.map((_, row) => row)), {
        predicts: 'fee',
        predictionType: { kind: 'numbers', names: [] },
      });
      await score(job({ ...files, features: ['id'], keep: 'all', ...columns }), scorer);
      const bytes = await readFile(files.output);
      const { footer } = await openParquet(storedBytes(bytes), 'out.parquet');
      const keys = footer.structs(FILE.keyValues).map(pair => pair.text(1));
      assert.deepEqual(keys.sort(), ['ARROW:schema', ...left].sort());
      const schema = await storedIn(bytes, 'ARROW:schema');
      assert.equal(fieldsOf(schema).at(-1), 'predicted_fee: float 2');
      // PyArrow sees nothing else.
      assert.deepEqual(Object.keys(metadataOf(schema) ?? {}), left);
      const own = {
        maxRecordBytes: 1000,
        rejects: undefined,
        repaired: undefined,
        keep: 'all' as const,
        ...columns,
      };
      assert.equal((await verifyOutput({ ...files, ...own })).scored, 12);
      const wrong = withFooter(bytes, footer =>
        changeAll(footer, FILE.keyValues, pair => {
          if (pair.text(1) === 'ARROW:schema') pair.setText(2, pair.text(2).replace('A', 'B'));
        }),
      );
      await writeFile(files.output, wrong);
      await assert.rejects(verifyOutput({ ...files, ...own }), { code: 'difference' });
    });
});
