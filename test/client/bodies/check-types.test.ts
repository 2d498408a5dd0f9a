import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { layoutOf } from '../../../src/client/bodies/layout-of.ts';
import { runs } from '../../support/random-tests.ts';
import { encodeText } from '../../support/scoring/encoded.ts';

const body = layoutOf({ layout: 'arrays', body: '$rows' }, 'null');

/** What is sent of cells of a column, as JSON; undefined for a row that is not sent. */
function sentOf(type: string, cells: readonly string[]): (string | undefined)[] {
  const text = ['c', ...cells.map(cell => `"${cell}"`)].join('\n');
  const [encoded] = encodeText(text, { body, types: { c: type } }).encoded;
  const sent = String(encoded?.body).slice(2, -2).split('],[');
  return cells.map((_, row) => (encoded?.unsentRows.has(row) ? undefined : sent.shift()));
}

describe('a value', () => {
  it('of an integer column is a JSON integer, without spaces, plus, leading zeros or a fraction of zeros', () => {
    const written = {
      '34': '34',
      ' 34 ': '34',
      '+34': '34',
      '-34': '-34',
      '007': '7',
      '-007': '-7',
      '0': '0',
      '000': '0',
      '34.0': '34',
      '34.': '34',
      '9223372036854775807': '9223372036854775807',
      '-9223372036854775808': '-9223372036854775808',
      '00000000000000000000001': '1',
    };
    assert.deepEqual(sentOf('integer', Object.keys(written)), Object.values(written));
    const wrong = [
      '34.5',
      'abc',
      '1e3',
      '3 4',
      '-',
      '+',
      '.0',
      '0x10',
      '1,5',
      '9223372036854775808',
      '-9223372036854775809',
      '--1',
      'NaN',
      'true',
    ];
    assert.deepEqual(
      sentOf('integer', wrong),
      wrong.map(() => undefined),
    );
  });

  it('of a column with a smaller integer type fits its range', () => {
    assert.deepEqual(sentOf('INT8', ['127', '128', '-128', '-129']), ['127', undefined, '-128', undefined]);
    assert.deepEqual(sentOf('UINT8', ['255', '256', '0', '-1']), ['255', undefined, '0', undefined]);
  });

  it('of a float column is a finite JSON number', () => {
    const written = {
      '1.50': '1.50',
      ' 1.5\t': '1.5',
      '+1.5': '1.5',
      '.5': '0.5',
      '-.5': '-0.5',
      '5.': '5',
      '00.5': '0.5',
      '1e5': '1e5',
      '1E+5': '1E+5',
      '.5e-7': '0.5e-7',
      '1e-400': '1e-400',
      '12345678901234567890': '12345678901234567890',
    };
    assert.deepEqual(sentOf('float', Object.keys(written)), Object.values(written));
    const wrong = [
      'abc',
      '1,5',
      '1e400',
      '-1e400',
      `1${'0'.repeat(400)}`,
      '1.e5',
      '.',
      '-',
      'e5',
      '1e',
      '1e+',
      'NaN',
      'Infinity',
      '1 2',
      '0x10',
      '1_000',
    ];
    assert.deepEqual(
      sentOf('float', wrong),
      wrong.map(() => undefined),
    );
  });

  it('of a boolean column is true or false in any case, their first letter, 1 or 0', () => {
    const cells = ['true', 'True', 'TRUE', 't', 'T', '1', ' true ', 'false', 'False', 'F', '0'];
    assert.deepEqual(
      sentOf('boolean', cells),
      cells.map(cell => String(/^[t1]/i.test(cell.trim()))),
    );
    const wrong = ['yes', 'no', '2', '10', 'tr', 'truee', '-1', 'null'];
    assert.deepEqual(
      sentOf('boolean', wrong),
      wrong.map(() => undefined),
    );
  });

  it('of a column of numbers is sent as the number that JavaScript reads, or not at all', () => {
    const cell = fc
      .array(fc.constantFrom(...'0123456789-+.eE '), { minLength: 1, maxLength: 24 })
      .map(parts => parts.join(''));
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 5 }), cells => {
        const isNumber = (text: string): boolean =>
          /^[+-]?(?:\d+\.?|\d*\.\d+)$|^[+-]?(?:\d+|\d*\.\d+)[eE][+-]?\d+$/.test(text) &&
          Number.isFinite(Number(text));
        const numbers = cells
          .map(text => text.trim())
          .map(text => (text === '' ? null : isNumber(text) ? Number(text) : undefined));
        assert.deepEqual(
          sentOf('float', cells).map(sent => sent && JSON.parse(sent)),
          numbers,
        );
        const integers = cells
          .map(text => text.trim())
          .map(text => {
            const [, digits] = /^([+-]?\d+)(?:\.0*)?$/.exec(text) ?? [];
            if (digits === undefined) return text === '' ? 'null' : undefined;
            const value = BigInt(digits.replace('+', ''));
            return value === BigInt.asIntN(64, value) ? String(value) : undefined;
          });
        assert.deepEqual(
          sentOf('integer', cells).map(sent => sent?.replace(/^-0$/, '0')),
          integers,
        );
      }),
      { numRuns: runs(2000, 100) },
    );
  });

  it('that does not fit takes its row out of the batch, with the name of the column and never the value', () => {
    const text = 'a,"the ""b""",c\n1,1,x\nsecret,1,x\n1\n3,secret,x\nsecret,secret,x\n4,2,x\n';
    const { encoded } = encodeText(text, { body, types: { a: 'integer', 'the "b"': 'float' } });
    const [batch] = encoded;
    assert.equal(String(batch?.body), '[[1,1,"x"],[4,2,"x"]]');
    assert.equal(batch?.personas, 2);
    assert.deepEqual([...(batch?.faults.keys() ?? [])], [2]);
    assert.deepEqual(
      [...(batch?.unsentRows ?? [])],
      [
        [1, { code: 'wrong_type', message: 'the value of column "a" is not an integer of 64 bits' }],
        [2, { code: 'wrong_type', message: 'the value of column "the "b"" is not a number' }],
        [3, { code: 'wrong_type', message: 'the value of column "a" is not an integer of 64 bits' }],
      ],
    );
  });

  it('is not checked in columns of text or of unknown type', () => {
    const [encoded] = encodeText('a,b\nx,1e400\n', { body, types: { a: 'text' } }).encoded;
    assert.deepEqual([encoded?.unsentRows.size, String(encoded?.body)], [0, '[["x","1e400"]]']);
  });

  it('is not checked for the report API, whose service converts values itself', () => {
    const types = { a: 'numerical', b: 'date', c: 'integer', d: 'boolean' };
    const [encoded] = encodeText('a,b,c,d\na,1e400,34.5,yes\n', { types }).encoded;
    assert.equal(encoded?.unsentRows.size, 0);
    assert.match(String(encoded?.body), /\{"a":"a","b":1e400,"c":34.5,"d":"yes"\}/);
  });

  it('is taken out again when a batch is halved', () => {
    const rows = Array.from({ length: 20 }, (_, row) => (row % 6 === 1 ? 'x' : String(row)));
    const { encoded } = encodeText(`a\n${rows.join('\n')}\n`, {
      body,
      types: { a: 'integer' },
      batchBytes: 20,
    });
    assert.ok(encoded.length > 3);
    assert.equal(
      encoded.reduce((sum, { unsentRows }) => sum + unsentRows.size, 0),
      4,
    );
    const sent = encoded.flatMap(({ body }) => (body.length === 0 ? [] : JSON.parse(String(body)).flat()));
    assert.deepEqual(sent, rows.filter(row => row !== 'x').map(Number));
  });
});
