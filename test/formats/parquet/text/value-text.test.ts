import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ParquetType } from '../../../../src/formats/parquet/footer/column-type.ts';
import { type Physical, parquetValueText } from '../../../../src/formats/parquet/text/value-text.ts';

const textOf = (type: ParquetType, value: Physical): string | undefined => parquetValueText(type)?.(value);

const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));

const CASES: readonly [ParquetType, Physical, string][] = [
  [{ is: 'boolean' }, true, 'true'],
  [{ is: 'signed' }, -5, '-5'],
  [{ is: 'signed' }, -(2n ** 63n), '-9223372036854775808'],
  [{ is: 'unsigned' }, -1, '4294967295'],
  [{ is: 'unsigned' }, -1n, '18446744073709551615'],
  [{ is: 'double' }, -0, '-0'],
  [{ is: 'double' }, 5e-324, '5e-324'],
  [{ is: 'double' }, Number.NaN, 'NaN'],
  [{ is: 'double' }, Number.NEGATIVE_INFINITY, '-Infinity'],
  [{ is: 'float' }, Math.fround(0.1), '0.1'],
  [{ is: 'float' }, 16_777_217, '16777217'],
  [{ is: 'float' }, Math.fround(3.4028235e38), '3.4028234663852886e+38'],
  [{ is: 'half' }, bytes('003c'), '1'],
  [{ is: 'half' }, bytes('0100'), '5.960464477539063e-8'],
  [{ is: 'half' }, bytes('00fc'), '-Infinity'],
  [{ is: 'decimal', scale: 4 }, -5, '-0.0005'],
  [{ is: 'decimal', scale: 0 }, 7n, '7'],
  [{ is: 'decimal', scale: 2 }, bytes('ff9c'), '-1.00'],
  [{ is: 'decimal', scale: 2 }, bytes(''), '0.00'],
  [{ is: 'date' }, 0, '1970-01-01'],
  [{ is: 'date' }, -719_529, '-000001-12-31'],
  [{ is: 'date' }, 2_932_897, '+010000-01-01'],
  [{ is: 'timestamp', digits: 6, isUtc: true }, -1n, '1969-12-31T23:59:59.999999Z'],
  [{ is: 'timestamp', digits: 9, isUtc: false }, 1n, '1970-01-01T00:00:00.000000001'],
  [{ is: 'timestamp', digits: 3, isUtc: false }, 1000n, '1970-01-01T00:00:01'],
  [{ is: 'time', digits: 3 }, 86_399_999, '23:59:59.999'],
  [{ is: 'int96' }, (2_440_589n << 64n) | 1_500_000_000n, '1970-01-02T00:00:01.500000000'],
  [{ is: 'uuid' }, bytes('00112233445566778899aabbccddeeff'), '00112233-4455-6677-8899-aabbccddeeff'],
  [{ is: 'bytes' }, bytes('4142005cff'), 'AB\\x00\\x5C\\xFF'],
];

describe('a value of Parquet', () => {
  for (const [type, value, text] of CASES)
    it(`is written as text: ${JSON.stringify(type)} ${text}`, () => assert.equal(textOf(type, value), text));

  it('of 32 bits is read back from its text', () => {
    fc.assert(
      fc.property(fc.float(), number => {
        assert.ok(Object.is(Math.fround(Number(textOf({ is: 'float' }, number))), number));
      }),
    );
  });

  it('of a day or a time has the text that a date has in JavaScript', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), date => {
        const milliseconds = BigInt(date.getTime());
        const text = textOf({ is: 'timestamp', digits: 3, isUtc: true }, milliseconds);
        assert.equal(text, date.toISOString().replace('.000Z', 'Z'));
      }),
    );
  });

  it('of 96 bits is refused if it is beyond its range', () => {
    const beyond = (2_440_588n << 64n) | 86_400_000_000_000n;
    assert.throws(() => textOf({ is: 'int96' }, beyond), RangeError);
  });
});
