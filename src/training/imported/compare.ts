import { classesOf } from '../../base/contract/predictions.ts';
import type { ImportedFrom, Value } from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { counted } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import { columnEncoderOf } from '../../formats/columns/column-encoder.ts';
import { textsOf } from '../../formats/records/fields.ts';
import type { ConvertedModel } from '../../models/imported/to-model.ts';
import { compileModel } from '../../models/model/compiled-model.ts';
import { type EngineModel, engineOf } from '../../models/model/engine.ts';
import { type OpenOptions, openRecords } from '../rows/open-batches.ts';

type Compared = NonNullable<ImportedFrom['compared']>;

/** What a comparison has shown, and whether predictions were compared, not only scores. */
interface Comparison {
  counts: Compared;
  hasPredictions: boolean;
}

/** Assumptions of the import that a message repeats. */
const MAX_NOTES = 5;

/** A column with what the library predicts. */
interface ExpectedColumn {
  name: string;
  index: number;
  /** The number of a row that is compared with it, of its scores or its predictions. */
  of: 'scores' | 'predictions';
  at: number;
}

/** A number that differs. */
interface Difference {
  column: string;
  row: number;
  expected: number;
  predicted: number;
  /** The values of the row, for the person who imports the model. */
  values: string;
}

/** The names of the columns of a file, as its header has them. */
export async function expectedHeader(file: string, options: OpenOptions): Promise<readonly string[]> {
  const records = await openRecords(file, { ...options, onLongField: () => {} });
  records.close();
  return records.layout.names;
}

/**
 * Compares a model's scores and predictions of the rows of a file with those of the library, which are columns of it:
 * `raw_score`, or `raw_score_0` and so on; `probability_` and a class, or `prediction`. Scores must be the same, bit for
 * bit, and predictions differ by two units in the last place at most, because exponentials of C libraries differ by one;
 * probabilities by two of numbers from 0.5 to 1, because 1 - p has the difference of p.
 *
 * @throws RowcastError `differs_from_expected`, `bad_option`, those of `openRecords`
 */
export async function compareWithExpected(
  converted: ConvertedModel,
  file: string,
  { nulls = [], ...options }: OpenOptions & { nulls?: readonly string[] | undefined },
): Promise<Comparison> {
  const records = await openRecords(file, { ...options, onLongField: () => {} });
  try {
    return await compareRecords(converted, records, new Set(['', ...nulls]));
  } finally {
    records.close();
  }
}

async function compareRecords(
  { model, notes }: ConvertedModel,
  records: Awaited<ReturnType<typeof openRecords>>,
  nulls: ReadonlySet<string>,
): Promise<Comparison> {
  const { columns, prediction, predictor, output } = model;
  const engine = engineOf(compileModel(predictor, columns, prediction, output), {
    memory: BatchMemory.create(),
  });
  const isSingle = output.isRounded;
  const round = isSingle ? Math.fround : (number: number): number => number;
  const { layout, name: shown } = records;
  // Classes of which each has a probability of its own are numbers.
  const isOfClasses = prediction.kind === 'numbers' && output.link.kind === 'sigmoid';
  const classes = isOfClasses ? prediction.names : classesOf(prediction);
  const expected = expectedColumns(layout.names, engine, classes, predictor.base.length);
  if (expected.length === 0)
    throw new RowcastError(
      'bad_option',
      'the file of --expect has no column with predictions of the library',
      {
        location: { file: shown },
        hint: 'Name it raw_score (of several classes raw_score_0, raw_score_1, …), probability_CLASS, or prediction.',
      },
    );
  const places = columns.map(({ name }) => layout.names.indexOf(name));
  const lacking = columns.find((_, i) => places[i] === -1);
  if (lacking !== undefined)
    throw new RowcastError(
      'missing_columns',
      `the file of --expect does not have the model's column "${sanitize(lacking.name)}"`,
      {
        location: { file: shown },
        hint: 'It needs all columns of the model, as they were in the training.',
      },
    );
  const used = new Set([...columns, ...expected].map(({ name }) => name));
  const other = layout.names.find(name => PREDICTED.test(name) && !used.has(name));
  if (other !== undefined)
    throw new RowcastError(
      'bad_option',
      `the file of --expect has the column "${sanitize(other)}", which the model does not predict`,
      {
        location: { file: shown },
        hint: 'Check --classes and the names of the columns: raw_score or raw_score_0, probability_CLASS, prediction.',
      },
    );
  const encoders = columns.map((column, i) => columnEncoderOf(column, layout.singles?.[places[i] as number]));
  const given = (text: string): Value => (nulls.has(text) ? null : text);
  const compared = { rows: 0, numbers: 0, identical: 0, largest_difference: 0 };
  let first: Difference | undefined;
  /** Of the scores that were compared, whether all are the library's; undefined if none was. */
  let hasSameScores: boolean | undefined;
  const fieldsOf = layout.fieldReader();
  try {
    for await (const batch of records.batches) {
      const fields = fieldsOf(batch);
      const texts = Array.from({ length: fields.rows }, (_, row) => textsOf(fields, row));
      const values = new Float64Array(fields.rows * columns.length);
      for (const [row, own] of texts.entries())
        for (const [i, encode] of encoders.entries())
          values[row * columns.length + i] = encode(given(own[places[i] as number] ?? '')) ?? Number.NaN;
      const of = {
        scores: engine.scores(values, fields.rows),
        predictions: engine.predict(values, fields.rows),
      };
      const widths = { scores: predictor.base.length, predictions: engine.width };
      for (const [row, own] of texts.entries())
        for (const column of expected) {
          // Both may be the shortest text of a single as a double.
          const want = round(Number(own[column.index] || Number.NaN));
          const got = round(of[column.of][row * widths[column.of] + column.at] ?? Number.NaN);
          const isShare = column.of === 'predictions' && shares.has(output.link.kind);
          const units = unitsBetween(want, got, isSingle);
          const isNear = units <= 2 || (isShare && Math.abs(want - got) <= (isSingle ? 2 ** -23 : 2 ** -52));
          compared.numbers++;
          if (units === 0) compared.identical++;
          else compared.largest_difference = Math.max(compared.largest_difference, Math.abs(want - got));
          if (column.of === 'scores') hasSameScores = hasSameScores !== false && units === 0;
          if ((column.of === 'scores' ? units === 0 : isNear) || first !== undefined) continue;
          const shownValues = columns.map(({ name }, i) => `${name}=${own[places[i] as number]}`).join(', ');
          const at = compared.rows + row + 1;
          first = { column: column.name, row: at, expected: want, predicted: got, values: shownValues };
        }
      compared.rows += fields.rows;
    }
  } finally {
    engine.unload();
  }
  if (compared.rows === 0)
    throw new RowcastError('bad_option', 'the file of --expect has no rows', { location: { file: shown } });
  if (first !== undefined)
    throw differs(first, compared, {
      file: shown,
      isOrderOfClasses: hasSameScores === true && prediction.kind === 'distribution',
      notes,
    });
  return { counts: compared, hasPredictions: expected.some(({ of }) => of === 'predictions') };
}

function differs(
  first: Difference,
  { identical, numbers, largest_difference: largest }: Compared,
  { file, isOrderOfClasses, notes }: { file: string; isOrderOfClasses: boolean; notes: readonly string[] },
) {
  const { column, row, expected, predicted, values } = first;
  return new RowcastError(
    'differs_from_expected',
    `${sanitize(column)} of row ${counted(row)} is ${expected}, but the model gives ${predicted}; ${counted(identical)} of ${counted(numbers)} numbers are identical, the largest difference is ${largest}`,
    {
      location: { file },
      hint: `No report was made. ${
        isOrderOfClasses
          ? 'All raw scores are identical, so check the order of --classes.'
          : `Check that the file has all columns as they were in the training, that its predictions are of this model and these iterations, and the order of --features, --categories and --classes.${notes.length === 0 ? '' : ` What the import assumed: ${notes.slice(0, MAX_NOTES).join(' ')}`}`
      }`,
      quote: values,
    },
  );
}

function expectedColumns(
  names: readonly string[],
  { width }: EngineModel,
  classes: readonly string[],
  scores: number,
): ExpectedColumn[] {
  const found: ExpectedColumn[] = [];
  const add = (name: string, of: ExpectedColumn['of'], at: number): void => {
    const index = names.indexOf(name);
    if (index !== -1) found.push({ name, index, of, at });
  };
  for (let at = 0; at < scores; at++) add(scores === 1 ? 'raw_score' : `raw_score_${at}`, 'scores', at);
  for (const [at, name] of classes.entries()) add(`probability_${name}`, 'predictions', at);
  if (classes.length === 0)
    for (let at = 0; at < width; at++)
      add(width === 1 ? 'prediction' : `prediction_${at}`, 'predictions', at);
  return found;
}

const bits = new DataView(new ArrayBuffer(8));

/** Columns that look like predictions. */
const PREDICTED = /^(?:raw_score|prob(?:ability)?_|prediction$|predicted_)/;

/** Links of which the result is a probability. */
const shares: ReadonlySet<string> = new Set(['sigmoid', 'softmax']);

/** How many units in the last place two numbers are apart. */
function unitsBetween(a: number, b: number, isSingle: boolean): number {
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return 0;
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.POSITIVE_INFINITY;
  return isSingle ? Math.abs(orderOfSingle(a) - orderOfSingle(b)) : Number(absolute(orderOf(a) - orderOf(b)));
}

/** Numbers in the order of doubles, one apart for neighbours. */
function orderOf(value: number): bigint {
  bits.setFloat64(0, value);
  const order = bits.getBigInt64(0);
  return order < 0n ? -(order & 0x7fffffffffffffffn) : order;
}

function orderOfSingle(value: number): number {
  bits.setFloat32(0, value);
  const order = bits.getInt32(0);
  return order < 0 ? -(order & 0x7fffffff) : order;
}

const absolute = (value: bigint): bigint => (value < 0n ? -value : value);
