import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Dialect } from '../../../src/base/parse-records.ts';
import { dialectOf } from '../../../src/formats/csv/dialect.ts';
import { contentEnd, countLines } from '../../../src/formats/records/line-endings.ts';

const lf: Dialect = { delimiter: ',', quote: '"', loneCr: false };
const cr: Dialect = { ...lf, loneCr: true };

describe('a dialect', () => {
  it('has tabs for .tsv, and commas for all other names; --delimiter overrides both', () => {
    const delimiter = (file: string, given?: string): string =>
      dialectOf({ file, delimiter: given }).delimiter;
    assert.deepEqual(
      ['a.tsv', 'A.TSV', 'a.csv', 'a.tsv.csv', 'stdin'].map(file => delimiter(file)),
      ['\t', '\t', ',', ',', ','],
    );
    assert.deepEqual(
      [delimiter('a.tsv', ';'), delimiter('a.csv', 'tab'), delimiter('a.csv', '\t')],
      [';', '\t', '\t'],
    );
  });

  it('has no quotes for .tsv unless --quote names one or --delimiter makes it another format', () => {
    const quote = (file: string, options: { quote?: string; delimiter?: string } = {}): string | undefined =>
      dialectOf({ file, ...options }).quote;
    assert.deepEqual(
      ['a.tsv', 'A.TSV', 'a.csv', 'stdin'].map(file => quote(file)),
      [undefined, undefined, '"', '"'],
    );
    assert.deepEqual(
      [
        quote('a.tsv', { quote: '"' }),
        quote('a.tsv', { delimiter: ';' }),
        quote('a.tsv', { delimiter: 'tab' }),
        quote('a.csv', { delimiter: 'tab' }),
        quote('a.csv', { quote: 'none' }),
      ],
      ['"', '"', undefined, '"', undefined],
    );
  });

  it('may have a control character as its delimiter, as in Hive', () => {
    for (const delimiter of ['\u0001', '\u001f', '\b'])
      assert.equal(dialectOf({ delimiter }).delimiter, delimiter);
  });

  it('refuses a delimiter that a number, a name or a line ending could contain', () => {
    for (const delimiter of ['.', '-', '+', '7', 'e', '_', '\n', '\r', '', ',,', 'é', '\u0000'])
      assert.throws(
        () => dialectOf({ delimiter }),
        { code: 'bad_dialect', severity: 'refused' },
        JSON.stringify(delimiter),
      );
  });

  it('refuses a quote that is the delimiter or that could occur in a number', () => {
    assert.throws(() => dialectOf({ delimiter: "'", quote: "'" }), { code: 'bad_dialect' });
    for (const quote of ['a', '0', '-', ' ', '', '""', '\t'])
      assert.throws(() => dialectOf({ quote }), { code: 'bad_dialect' }, JSON.stringify(quote));
    assert.equal(dialectOf({ quote: 'none' }).quote, undefined);
    assert.equal(dialectOf({ quote: "'" }).quote, "'");
  });
});

describe('a record', () => {
  const content = (text: string, dialect: Dialect): string =>
    text.slice(0, contentEnd(Buffer.from(text), 0, text.length, dialect));

  it('loses only its line ending', () => {
    assert.deepEqual(
      ['a,b\n', 'a,b\r\n', 'a,b', '\n', '\r\n', '', 'a\r\r\n'].map(text => content(text, lf)),
      ['a,b', 'a,b', 'a,b', '', '', '', 'a\r'],
    );
  });

  it('keeps a lone CR at its end, unless a lone CR ends records', () => {
    assert.equal(content('a,b\r', lf), 'a,b\r');
    assert.equal(content('a,b\r', cr), 'a,b');
  });

  it('does not include a CR that ends the previous record', () => {
    assert.equal(contentEnd(Buffer.from('a\r\n'), 2, 3, cr), 2);
  });
});

describe('lines', () => {
  const lines = (text: string, dialect: Dialect): number =>
    countLines(Buffer.from(text), 0, Buffer.byteLength(text), dialect);

  it('end once at CRLF, and at a lone CR only if that ends records', () => {
    const text = 'a\r\nb\nc\rd\n';
    assert.equal(lines(text, lf), 3);
    assert.equal(lines(text, cr), 4);
  });

  it('are not counted without bytes or without a line ending', () => {
    assert.deepEqual([lines('', lf), lines('a', lf), lines('a\n', lf), lines('"a\n"\n', lf)], [0, 0, 1, 2]);
  });
});
