import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dialectOf } from '../../../src/formats/csv/dialect.ts';
import { delimiterHint, type Header, readHeader } from '../../../src/formats/csv/header.ts';
import { newScan } from '../../../src/formats/csv/records/scan-record.ts';

const BOM = '\ufeff';
const options = { dialect: dialectOf({}), file: 'test.csv', maxRecordBytes: 100 };
const readWhole = (text: string | Buffer): Header => {
  const header = readHeader(Buffer.from(text), true, options);
  assert.ok(header);
  return header;
};

describe('a header', () => {
  it('keeps its BOM and line ending as bytes, but not in its names', () => {
    for (const [text, names] of [
      [`${BOM}a,b\r\n`, ['a', 'b']],
      [`${BOM}"a,1","b"\n`, ['a,1', 'b']],
      ['a,b', ['a', 'b']],
    ] as const) {
      const header = readWhole(`${text}`);
      assert.equal(header.bytes.toString(), text);
      assert.deepEqual(header.names, names);
      assert.equal(header.bytes.subarray(header.contentEnd).toString(), text.match(/[\r\n]*$/)?.[0]);
    }
  });

  it('ends at its line ending, even if more bytes were read', () => {
    const header = readWhole('"x ""y""",\r\n1,2\r\n');
    assert.deepEqual(header.names, ['x "y"', '']);
    assert.equal(header.bytes.toString(), '"x ""y""",\r\n');
  });

  it('is incomplete until its line ending is certain: a CR may be half of a CRLF', () => {
    const text = Buffer.from('a,"b\n"\r\n1,2\n');
    for (let length = 0; length < 8; length++)
      assert.equal(readHeader(text.subarray(0, length), false, options), undefined, `${length} bytes`);
    assert.equal(readHeader(text.subarray(0, 8), false, options)?.dialect.loneCr, false);
    assert.equal(readHeader(Buffer.from('a,b\r1'), false, options)?.dialect.loneCr, true);
    assert.equal(readHeader(Buffer.from('a,b\r'), true, options)?.dialect.loneCr, true);
  });

  it('is scanned once, however many chunks it arrives in', () => {
    const text = Buffer.from('"a\n""b",c\r\n1,2\n');
    const scan = newScan(0);
    for (let length = 0; length < 11; length++) {
      assert.equal(readHeader(text.subarray(0, length), false, { ...options, scan }), undefined);
      assert.ok(
        length < 3 || scan.at === length || text[length - 1] === 0x0d,
        `${scan.at} of ${length} bytes`,
      );
    }
    const header = readHeader(text.subarray(0, 11), false, { ...options, scan });
    assert.deepEqual([header?.names, header?.bytes.toString()], [['a\n"b', 'c'], '"a\n""b",c\r\n']);
  });

  it('has at most a million columns, not counting quoted delimiters', () => {
    const wide = (columns: number) =>
      readHeader(Buffer.from(`"a,b"${','.repeat(columns - 1)}\n`), true, {
        ...options,
        maxRecordBytes: 1 << 24,
      });
    assert.equal(wide(1_000_000)?.names.length, 1_000_000);
    assert.throws(() => wide(1_000_001), {
      code: 'too_many_columns',
      message: 'the header has 1,000,001 columns; the limit is 1,000,000',
    });
  });

  it('determines whether a lone CR ends records: only if it ends the header', () => {
    assert.equal(readWhole('a,b\r1,2\n').dialect.loneCr, true);
    assert.equal(readWhole('a,b\r\n1\r,2\r').dialect.loneCr, false);
    assert.equal(readWhole('a,"b\rc"\n').dialect.loneCr, false);
  });

  it('counts its lines', () => {
    assert.equal(readWhole('a,"b\nc\r\nd"\n1,2\n').lines, 3);
    assert.equal(readWhole('"a\rb"\r1').lines, 2);
  });

  it('is missing in an input that is empty or only a BOM', () => {
    for (const text of ['', BOM])
      assert.throws(() => readHeader(Buffer.from(text), true, options), {
        code: 'empty_input',
        location: { file: 'test.csv' },
      });
  });

  it('says what is wrong with it, at line 1', () => {
    const bad: [string | Buffer, RegExp][] = [
      ['a,"b\n1,2\n', /quote in the header is not closed/],
      ['"a"b,c\n', /text follows a closing quote/],
      [Buffer.from([0x61, 0xff, 0x0a]), /not valid UTF-8/],
      [Buffer.from('\ufeffa,b\n', 'utf16le'), /UTF-16/],
      [Buffer.from('a,b\n', 'utf16le'), /UTF-16/],
      [Buffer.from('a,b\n', 'utf16le').swap16(), /UTF-16/],
      [`${'a'.repeat(100)}\n`, /longer than 100 bytes/],
    ];
    for (const [text, message] of bad)
      assert.throws(() => readHeader(Buffer.from(text), true, options), {
        code: 'bad_header',
        severity: 'refused',
        location: { file: 'test.csv', line: 1 },
        message,
      });
  });

  it('is refused as soon as it is too long, before its end', () => {
    assert.throws(() => readHeader(Buffer.from(`"${'a'.repeat(100)}`), false, options), /longer than/);
  });

  it('of one column suggests the delimiter that was probably meant', () => {
    assert.match(delimiterHint(readWhole('a;b\n')) ?? '', /try --delimiter ';'/);
    assert.match(delimiterHint(readWhole('"a,b"\n')) ?? '', /try --delimiter ','/);
    assert.match(delimiterHint(readWhole('a\tb\n')) ?? '', /try --delimiter tab/);
    assert.equal(delimiterHint(readWhole('a\n')), undefined);
    assert.equal(delimiterHint(readWhole('a;b,c\n')), undefined);
    for (const [text, delimiter] of [
      ['"a";"b"\n', "';'"],
      ['"a"\t"b"\r\n', 'tab'],
    ] as const)
      assert.throws(() => readWhole(text), {
        code: 'bad_header',
        hint: new RegExp(`try --delimiter ${delimiter}`),
      });
    assert.throws(() => readWhole('"a"x,b\n'), { code: 'bad_header', hint: undefined });
  });
});
