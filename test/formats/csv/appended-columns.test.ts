import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Predictions } from '../../../src/base/contract/predictions.ts';
import type { Dialect } from '../../../src/base/parse-records.ts';
import { type Appended, type AppendedOptions, MAX_LABEL_BYTES } from '../../../src/formats/appended.ts';
import { wordView } from '../../../src/formats/bytes/word-view.ts';
import { appendedColumns } from '../../../src/formats/csv/appended-columns.ts';
import { type ReadOptions, read } from '../../support/csv/read.ts';
import { labels, numbers } from '../../support/scoring/predictions.ts';

type Options = Partial<Omit<AppendedOptions, 'predictionType'>> & { classes?: readonly string[] };

const append = (
  header: string,
  { classes = ['no', 'yes'], ...options }: Options = {},
  read_: ReadOptions = {},
) =>
  appendedColumns(read(header, read_).head, {
    predictionType: { kind: 'distribution', classes },
    prefix: 'probability',
    prediction: undefined,
    ...options,
  });

/** The bytes appended to a row. */
function fields(columns: Appended, ...probabilities: number[]): string {
  const into = wordView(Buffer.alloc(1 + columns.maxBytes));
  // The first record and the first byte belong to others.
  const before = probabilities.map(() => Number.NaN);
  const write = columns.writer({
    kind: 'distribution',
    classes: probabilities.map(String),
    probabilities: Float64Array.of(...before, ...probabilities),
    errors: new Map(),
  });
  const end = write(1, into, 1);
  return into.bytes.toString('utf8', 1, end);
}

const csv: Dialect = { delimiter: ',', quote: '"', loneCr: false };

/** What is appended to the only row. */
function rowOf(
  predictions: Predictions,
  options: Pick<AppendedOptions, 'predictionType' | 'prediction'>,
  { delimiter, quote = 'none' }: Pick<Dialect, 'delimiter' | 'quote'> = csv,
): string {
  const { head } = read(`a${delimiter}b\n`, { delimiter, quote });
  const columns = appendedColumns(head, { prefix: 'p', ...options });
  const into = wordView(Buffer.alloc(columns.maxBytes));
  return into.bytes.toString('utf8', 0, columns.writer(predictions)(0, into, 0));
}

const labelOf = (text: string, dialect = csv): string =>
  rowOf(labels([text]), { predictionType: { kind: 'label' }, prediction: 'x' }, dialect);

describe('the appended columns', () => {
  it('are quoted if a class needs it, in names and predictions', () => {
    const columns = append('a\n', { classes: ['x,y', 'z'], prediction: 'it "is"' });
    assert.equal(columns.names, ',"probability_x,y",probability_z,"predicted_it ""is"""');
    assert.equal(fields(columns, 0.75, 0.25), ',0.75,0.25,"x,y"');
    assert.equal(String(columns.empty.bytes), ',,,');
  });

  it('have room for the longest numbers and names', () => {
    const columns = append('a\n', { classes: ['a', 'b', 'ü,é'.repeat(9)], prediction: 'x' });
    const longest = ['0.0000012345678901234567', '1.2345678901234568e-300', '0.9999999999999999'];
    assert.equal(fields(columns, ...longest.map(Number)), `,${longest.join(',')},"${'ü,é'.repeat(9)}"`);
  });

  it('end with the most likely class, the first of equals', () => {
    const columns = append('a\n', { classes: ['a', 'b', 'c'], prediction: 'x' });
    const predicted = (...values: number[]): string | undefined =>
      fields(columns, ...values)
        .split(',')
        .at(-1);
    assert.deepEqual(
      [predicted(0.2, 0.3, 0.5), predicted(0.4, 0.4, 0.2), predicted(0.2, 0.4, 0.4)],
      ['c', 'a', 'b'],
    );
  });

  it('never duplicate a name of the input or of each other', () => {
    const duplicate = (message: RegExp, hint: RegExp) => ({ code: 'duplicate_columns', message, hint });
    assert.throws(() => append('a,probability_yes\n'), duplicate(/"probability_yes"/, /--prefix/));
    assert.throws(
      () => append('a,predicted_x\n', { prediction: 'x' }),
      duplicate(/"predicted_x"/, /--prediction/),
    );
    assert.throws(() => append('a\n', { classes: ['no', 'no'] }), duplicate(/"probability_no"/, /./));
    assert.throws(
      () => append('a\n', { classes: ['x'], prefix: 'predicted', prediction: 'x' }),
      duplicate(/"predicted_x"/, /./),
    );
  });
});

describe('the column of a label', () => {
  it('has room for the longest label, in which every byte is a quote', () => {
    const longest = '"'.repeat(MAX_LABEL_BYTES);
    assert.equal(labelOf(longest), `,"${longest}${longest}"`);
  });

  it('refuses a label that needs quotes if there are none', () => {
    const plain = { ...csv, quote: undefined };
    assert.equal(labelOf('a', plain), ',a');
    assert.throws(() => labelOf('b,c', plain), { code: 'cannot_quote' });
  });
});

it('the columns of numbers have room for the longest ones', () => {
  const longest = -2.2250738585072014e-308;
  const predictionType = { kind: 'numbers', names: ['a', 'b'] } as const;
  const written = rowOf(numbers([longest, longest], ['a', 'b']), { predictionType, prediction: undefined });
  assert.equal(written, `,${longest},${longest}`);
});
