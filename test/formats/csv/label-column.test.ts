import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Dialect } from '../../../src/base/parse-records.ts';
import { MAX_LABEL_BYTES } from '../../../src/formats/appended.ts';
import { wordView } from '../../../src/formats/bytes/word-view.ts';
import { appendedColumns } from '../../../src/formats/csv/appended-columns.ts';
import { read } from '../../support/csv/read.ts';
import { labels } from '../../support/scoring/predictions.ts';

const csv: Dialect = { delimiter: ',', quote: '"', loneCr: false };

/** What is appended to rows with these labels. */
function fieldsOf(texts: readonly string[], dialect = csv, isAfterOthers = true): string[] {
  const { delimiter, quote } = dialect;
  const { head } = read(`a${delimiter}b\n`, { delimiter, quote: quote ?? 'none' });
  const kept = isAfterOthers ? undefined : { kept: [], rename: {}, hasHeader: true, file: '' };
  const { writer, maxBytes } = appendedColumns(
    head,
    { predictionType: { kind: 'label' }, prefix: 'p', prediction: 'x' },
    kept,
  );
  const into = wordView(Buffer.alloc(maxBytes));
  const write = writer(labels(texts));
  return texts.map((_, row) => into.bytes.toString('utf8', 0, write(row, into, 0)));
}

describe('the column of a label', () => {
  it('has each row’s own label, quoted where the dialect needs it', () => {
    const texts = ['a', 'b,c', 'a', 'say "x"', 'two\r\nlines', ' ', 'ü;'];
    assert.deepEqual(fieldsOf(texts), [',a', ',"b,c"', ',a', ',"say ""x"""', ',"two\r\nlines"', ', ', ',ü;']);
    assert.deepEqual(fieldsOf(texts, { ...csv, delimiter: ';' }).slice(1, 3), [';b,c', ';a']);
    assert.equal(fieldsOf(['ü;'], { ...csv, delimiter: ';' })[0], ';"ü;"');
  });

  it('has no delimiter before it if it is the only column', () => {
    assert.deepEqual(fieldsOf(['a', 'b,c'], csv, false), ['a', '"b,c"']);
  });

  it('has room for the longest label, in which every byte is a quote', () => {
    const longest = '"'.repeat(MAX_LABEL_BYTES);
    assert.deepEqual(fieldsOf([longest]), [`,"${longest}${longest}"`]);
  });

  it('refuses a label that needs quotes if there are none', () => {
    const plain = { ...csv, quote: undefined };
    assert.deepEqual(fieldsOf(['a'], plain), [',a']);
    assert.throws(() => fieldsOf(['b,c'], plain), { code: 'cannot_quote' });
  });
});
