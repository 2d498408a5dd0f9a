import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import type { MissingStyle } from '../../../src/base/contract/limits.ts';
import type { JsonValue } from '../../../src/base/contract/schemas.ts';
import { writeRow } from '../../../src/base/write-row.ts';
import { type LayoutName, layoutNames, layoutOf } from '../../../src/client/bodies/layout-of.ts';
import { character, runs } from '../../support/random-tests.ts';
import { encodeText, type TextOptions } from '../../support/scoring/encoded.ts';

type Type = 'any' | 'text' | 'integer' | 'float' | 'boolean';

interface Column {
  name: string;
  type: Type;
  cells: string[];
}

/** The body of a single batch. */
function bodyOf(
  text: string,
  layout: LayoutName,
  options: Pick<TextOptions, 'types' | 'nulls' | 'missing'> & { body?: JsonValue; usual?: MissingStyle } = {},
): string {
  const { body = '$rows', usual = layout.startsWith('csv') ? 'empty' : 'null', ...others } = options;
  // Rows whose values are all missing are sent here, too.
  const read = { findsNoRows: false };
  const { encoded } = encodeText(text, { ...others, read, body: layoutOf({ layout, body }, usual) });
  assert.equal(encoded.length, 1);
  return String(encoded[0]?.body);
}

const digits = fc
  .array(fc.constantFrom(...'0123456789-+.eE'), { maxLength: 20 })
  .map(parts => parts.join(''));
const anyCell = fc.oneof(
  fc.string({ unit: character }),
  digits,
  fc.double().map(String),
  fc.constantFrom(
    '',
    '007',
    '1e400',
    '-1e-400',
    '1E5',
    'NaN',
    'true',
    'null',
    ' ',
    '9007199254740993',
    '"',
    '\\',
    '\u0000\n',
  ),
);
const cellsOf: Record<Type, fc.Arbitrary<string>> = {
  any: anyCell,
  text: anyCell,
  integer: fc.oneof(
    fc.constant(''),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
    fc.integer().map(String),
  ),
  float: fc.oneof(fc.constant(''), fc.double({ noNaN: true, noDefaultInfinity: true }).map(String)),
  boolean: fc.constantFrom('', 'true', 'false', 'True', 'FALSE', 't', 'f', '1', '0'),
};

/** A table of a few columns, each with a type and as many cells as the others. */
function tables(types: readonly Type[]): fc.Arbitrary<Column[]> {
  return fc
    .integer({ min: 1, max: 6 })
    .chain(rows =>
      fc
        .uniqueArray(fc.string({ unit: character }), { minLength: 1, maxLength: 5 })
        .chain(names =>
          fc.tuple(
            ...names.map(name =>
              fc
                .constantFrom(...types)
                .chain(type =>
                  fc
                    .array(cellsOf[type], { minLength: rows, maxLength: rows })
                    .map(cells => ({ name: `column ${name}`, type, cells })),
                ),
            ),
          ),
        ),
    );
}

const rowsOf = (table: readonly Column[]): number => table[0]?.cells.length ?? 0;
const rowAt = (table: readonly Column[], row: number): string[] => table.map(({ cells }) => cells[row] ?? '');

/** A lone empty field is quoted, since a blank line is one as well, but csv-parse skips it. */
const csvOf = (table: readonly Column[]): string =>
  [table.map(({ name }) => name), ...Array.from({ length: rowsOf(table) }, (_, row) => rowAt(table, row))]
    .map(fields => (fields.length === 1 && fields[0] === '' ? '""\n' : writeRow(fields)))
    .join('');

const typesOf = (table: readonly Column[]): Record<string, string> =>
  Object.fromEntries(table.flatMap(({ name, type }) => (type === 'any' ? [] : [[name, type]])));

/** A value as JSON, without looking at bytes. */
function jsonOf(cell: string, type: Type): string {
  if (cell === '') return 'null';
  switch (type) {
    case 'integer':
    case 'float':
      return cell;
    case 'boolean':
      return String(['1', 't', 'true'].includes(cell.toLowerCase()));
    case 'text':
      return JSON.stringify(cell);
    case 'any': {
      const isNumber =
        /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(cell) &&
        !/^-?\d{16,}$/.test(cell) &&
        Number.isFinite(Number(cell));
      return isNumber ? cell : JSON.stringify(cell);
    }
  }
}

const listOf = (items: readonly string[]): string => `[${items.join(',')}]`;
const listOfRows = (table: readonly Column[], write: (row: number) => string): string =>
  listOf(Array.from({ length: rowsOf(table) }, (_, row) => write(row)));
const dataOf = ({ cells, type }: Column): string => listOf(cells.map(cell => jsonOf(cell, type)));

const objectOf = (table: readonly Column[], row: number): string =>
  `{${table.map(({ name, type, cells }) => `${JSON.stringify(name)}:${jsonOf(cells[row] ?? '', type)}`).join(',')}}`;

/** What each layout is, in JavaScript. */
const reference: Record<
  Exclude<LayoutName, 'csv' | 'csv-without-header'>,
  (table: readonly Column[]) => string
> = {
  objects: table => listOfRows(table, row => objectOf(table, row)),
  'json-lines': table =>
    `${Array.from({ length: rowsOf(table) }, (_, row) => objectOf(table, row)).join('\n')}\n`,
  arrays: table =>
    listOfRows(table, row => listOf(table.map(({ type, cells }) => jsonOf(cells[row] ?? '', type)))),
  columns: table => `{${table.map(column => `${JSON.stringify(column.name)}:${dataOf(column)}`).join(',')}}`,
  tensors: table =>
    listOf(
      table.map(column => {
        const datatypes = {
          any: '',
          text: 'BYTES',
          integer: column.cells.includes('') ? 'FP64' : 'INT64',
          float: 'FP64',
          boolean: 'BOOL',
        };
        const more = column.type === 'text' ? ',"parameters":{"content_type":"str"}' : '';
        return `{"name":${JSON.stringify(column.name)},"shape":[${rowsOf(table)},1],"datatype":"${datatypes[column.type]}"${more},"data":${dataOf(column)}}`;
      }),
    ),
};

describe('a layout', () => {
  for (const layout of ['objects', 'json-lines', 'arrays', 'columns', 'tensors'] as const)
    it(`of ${layout} writes exactly what JavaScript would write`, () => {
      const types: Type[] = ['text', 'integer', 'float', 'boolean'];
      fc.assert(
        fc.property(tables(layout === 'tensors' ? types : ['any', ...types]), table => {
          const body = bodyOf(csvOf(table), layout, { types: typesOf(table) });
          assert.equal(body, reference[layout](table));
          for (const text of layout === 'json-lines' ? body.trimEnd().split('\n') : [body]) JSON.parse(text);
        }),
        { numRuns: runs(1000, 40) },
      );
    });

  it('of csv writes what csv-parse reads as the same values', () => {
    fc.assert(
      fc.property(tables(['any', 'text', 'float', 'boolean']), table => {
        const body = bodyOf(csvOf(table), 'csv', { types: typesOf(table) });
        const [header, ...rows] = parse(body) as string[][];
        assert.deepEqual(
          header,
          table.map(({ name }) => name),
        );
        assert.deepEqual(
          rows,
          Array.from({ length: rowsOf(table) }, (_, row) => rowAt(table, row)),
        );
        const withoutHeader = bodyOf(csvOf(table), 'csv-without-header', { types: typesOf(table) });
        assert.deepEqual(parse(withoutHeader), rows);
      }),
      { numRuns: runs(1000, 40) },
    );
  });

  it('says which media type its body has, without a charset', () => {
    const types = layoutNames.map(layout => layoutOf({ layout, body: '$rows' }, 'empty').type);
    assert.deepEqual(new Set(types), new Set(['application/json', 'application/jsonlines', 'text/csv']));
    assert.equal(layoutOf({ layout: 'csv', body: '$rows' }, 'empty').type, 'text/csv');
  });

  it('writes rows, names of the columns and a list of numbers from 0 on into the places of its template', () => {
    const text = 'a,b\n1,x\n2,"y ""z"""\n';
    const body = { data_split: { columns: '$columns', index: '$index', data: '$rows' } };
    assert.equal(
      bodyOf(text, 'arrays', { body }),
      '{"data_split":{"columns":["a","b"],"index":[0,1],"data":[[1,"x"],[2,"y \\"z\\""]]}}',
    );
    assert.equal(
      bodyOf(text, 'objects', { body: { instances: '$rows', params: { n: 1.5, all: [true, null, '$ 5'] } } }),
      '{"instances":[{"a":1,"b":"x"},{"a":2,"b":"y \\"z\\""}],"params":{"n":1.5,"all":[true,null,"$ 5"]}}',
    );
  });

  it('gives each body an id of its own for $id, which the reader of the response knows', () => {
    const body = layoutOf({ layout: 'arrays', body: { id: '$id', rows: '$rows' } }, 'null');
    const { encoded } = encodeText('a\n1\n2\n3\n', { body, read: { batchRows: 1 } });
    const ids = encoded.map(({ body }) => JSON.parse(body.toString()).id);
    assert.equal(new Set(ids).size, 3);
    assert.deepEqual(
      ids,
      encoded.map(({ id }) => id),
    );
  });

  it('is refused with a template that has no place for the rows, several, or one that is misspelled', () => {
    const refused = (layout: LayoutName, body: JsonValue, says: RegExp): void => {
      assert.throws(() => layoutOf({ layout, body }, 'null'), { code: 'bad_option', message: says });
    };
    refused('arrays', { columns: '$columns' }, /lacks "\$rows"/);
    refused('objects', 'rows', /lacks "\$rows"/);
    refused('objects', ['$rows', '$rows'], /"\$rows" 2 times/);
    refused('objects', { data: '$rows', columns: '$colums' }, /"\$colums" is not one of/);
    refused('csv', { data: '$rows' }, /the layout csv has nothing around its rows/);
  });
});

describe('a missing value', () => {
  const text = 'n,i,b,t,u\n,,,,\n1.5,2,true,x,y\n';
  const types = { n: 'float', i: 'integer', b: 'boolean', t: 'text' };
  const first = (missing: MissingStyle): string =>
    bodyOf(text, 'arrays', { types, missing }).replace('[[', '').split(']')[0] ?? '';

  it('is written by the type of its column, as --missing says', () => {
    assert.equal(first('null'), 'null,null,null,null,null');
    assert.equal(first('nan'), 'NaN,NaN,null,"",NaN');
    assert.equal(first('empty'), 'null,null,null,"",""');
  });

  it('may be left out of an object', () => {
    assert.equal(
      bodyOf('a,b,c\n,2,\n1,,3\n,,\n', 'objects', { missing: 'omit' }),
      '[{"b":2},{"a":1,"c":3},{}]',
    );
  });

  it('is an empty field of a CSV, in quotes where the record would be a blank line, or NaN', () => {
    assert.equal(bodyOf(text, 'csv', { types }), 'n,i,b,t,u\n,,,,\n1.5,2,true,x,y\n');
    assert.equal(bodyOf(text, 'csv', { types, missing: 'nan' }).split('\n')[1], 'NaN,NaN,,,NaN');
    assert.equal(bodyOf('a\n""\n1\n', 'csv'), 'a\n""\n1\n');
  });

  it('makes an integer tensor one of floats, in this batch alone', () => {
    const body = layoutOf({ layout: 'tensors', body: '$rows' }, 'nan');
    const { encoded } = encodeText('i\n1\n2\n\n3\n', {
      body,
      types: { i: 'integer' },
      read: { batchRows: 2 },
    });
    assert.deepEqual(
      encoded.map(({ body }) => String(body)),
      [
        '[{"name":"i","shape":[2,1],"datatype":"INT64","data":[1,2]}]',
        '[{"name":"i","shape":[2,1],"datatype":"FP64","data":[NaN,3]}]',
      ],
    );
  });

  it('may have other spellings, and spaces in a column of numbers or booleans', () => {
    const options = { types: { n: 'float', b: 'boolean', t: 'text' }, nulls: ['NA'] };
    assert.equal(
      bodyOf('n,b,t\nNA,NA,NA\n , ," "\n', 'arrays', options),
      '[[null,null,null],[null,null," "]]',
    );
  });

  it('is refused before the run where the layout cannot express it', () => {
    for (const [layout, missing] of [
      ['arrays', 'omit'],
      ['columns', 'omit'],
      ['tensors', 'omit'],
      ['csv', 'omit'],
      ['csv', 'null'],
    ] as const)
      assert.throws(() => bodyOf(text, layout, { types: { ...types, u: 'text' }, missing }), {
        code: 'bad_option',
        message: new RegExp(`--missing ${missing} is not possible`),
      });
  });
});

describe('a tensor', () => {
  it('has the data type that the service states', () => {
    const types = ['INT32', 'FP32', 'BOOL', 'BYTES', 'UINT8'];
    const text = `${types.join(',')}\n1,2,true,x,255\n`;
    const body = bodyOf(text, 'tensors', { types: Object.fromEntries(types.map(type => [type, type])) });
    assert.deepEqual(
      JSON.parse(body).map(({ datatype }: { datatype: string }) => datatype),
      types,
    );
  });

  it('of a column whose type is not known is refused, because a later batch could decide otherwise', () => {
    assert.throws(() => bodyOf('a,b\n1,2\n', 'tensors', { types: { a: 'integer' } }), {
      code: 'bad_option',
      message: /unknown: "b"/,
    });
  });
});
