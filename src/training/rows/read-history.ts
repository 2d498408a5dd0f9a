import { RowcastError } from '../../base/errors.ts';
import { counted, countOf } from '../../base/number-text.ts';
import type { RejectLimit } from '../../base/options/values/reject-limit.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { Layout } from '../../formats/format.ts';
import { type Batch, RecordKind, startOf } from '../../formats/records/batch.ts';
import { type Fields, textOf } from '../../formats/records/fields.ts';
import type { Position } from '../../formats/records/position.ts';
import type { LongField } from '../../formats/records/read-batches.ts';
import { refuseRowAsHeader } from '../../formats/refuse-row-as-header.ts';
import { isBlank } from '../../formats/values/coerce.ts';
import { combinedSha256 } from '../../storage/digests.ts';
import { firstPart, furtherPart, type HistoryPart } from './history-part.ts';
import { labelRows, RareClasses, refuseAmounts, rowsOf } from './labels.ts';
import { LaterColumns } from './later-columns.ts';
import type { ColumnChoices } from './learn-columns.ts';
import { type HistoryFile, MalformedRows } from './malformed-rows.ts';
import { eitherNumber, isOfAmounts, NumberStrata, type TargetKind } from './numbers/number-labels.ts';
import { longFieldNote, type OpenOptions, openRecords } from './open-batches.ts';
import {
  checkChoices,
  MAX_TRAINED_CLASSES,
  namedColumns,
  predictedColumn,
  tooManyClasses,
} from './split-rows.ts';
import { StratifiedSample } from './stratified-sample.ts';

export interface HistoryOptions extends OpenOptions, ColumnChoices {
  /** A path, or `-` for stdin; plain, gzip or zstd. */
  historyFile: string;
  /** The paths of files whose rows follow, with the same columns. */
  furtherFiles?: readonly string[] | undefined;
  predict: string;
  /** The seed of the sample that is taken of large files. */
  seed: number;
  /** The number of ranges to divide a numeric column into, to predict the range. */
  bins?: number | undefined;
  /** Whether the column's values are classes or numbers; by default as `isOfAmounts` says. */
  target?: TargetKind | undefined;
  /** Different numbers that may be classes, if the classes are known. */
  numericClasses?: number | undefined;
  /** Texts that mean a missing value, in addition to the empty one. */
  nulls?: readonly string[] | undefined;
  /** How many malformed rows to leave out; without it, the first one is an error. */
  maxRejects?: RejectLimit | undefined;
}

/** The training data: labelled rows. */
export interface LabelledHistory {
  header: readonly string[];
  /** The index of the predicted column in the header. */
  column: number;
  /** By column, whether the file has numbers in single precision; undefined for a format that does not say. */
  singles?: readonly boolean[] | undefined;
  /** Each as long as the header, in file order. */
  rows: string[][];
  /** Each row's label, cleaned: the name of its class; empty if there are numbers. */
  labels: string[];
  /** Each row's number, if numbers are predicted. */
  numbers?: readonly number[] | undefined;
  /** The order of the classes, if it is not that of their names. */
  order?: readonly string[] | undefined;
  notes: string[];
}

/** Training data that was read from files. */
interface ReadHistory extends LabelledHistory {
  /** The `combinedSha256` of the files as stored; null if a pipe was not read to its end. */
  sha256: string | null;
}

/** More rows take minutes longer to train on and change no accuracy by a tenth of a percent. */
export const MAX_ROWS = 100_000;

/** Rows between two progress messages. */
const STEP_ROWS = 10_000;

/**
 * Reads all training data. Of more than `MAX_ROWS` labelled rows it keeps a sample stratified by class, or by tenths of numbers,
 * so that memory does not grow with the file.
 *
 * @throws RowcastError `bad_header`, `no_such_column`, `ambiguous_column`, `too_many_classes`, `numeric_target`,
 *   `not_numbers`, `other_columns`, those of `openRecords` and `MalformedRows`, and `bad_option` if the predicted
 *   column is one of the features
 */
export async function readHistory(
  options: HistoryOptions,
  onStep: (step: string) => void = () => {},
): Promise<ReadHistory> {
  const { historyFile, furtherFiles = [], predict, seed, bins, target, numericClasses } = options;
  refuseBinsOfNumbers(options);
  const files = [historyFile, ...furtherFiles];
  const notes: string[] = [];
  const named = [predict, ...namedColumns(options)];
  const malformed = new MalformedRows(options.maxRejects);
  const nulls = new Set(options.nulls);
  const sample = new StratifiedSample<string>(MAX_ROWS, seed);
  const rare = new RareClasses();
  const parts: HistoryPart[] = [];
  const digests: (string | null)[] = [];
  let later: LaterColumns | undefined;
  let strata: NumberStrata | undefined;
  let textPlace: string | undefined;
  let unlabelled = 0;
  let reported = 0;
  const readFile = async (file: string, first: HistoryPart | undefined): Promise<HistoryPart> => {
    const shown = files.length === 1 ? undefined : file;
    const onLongField = (field: LongField): void => void notes.push(longFieldNote(field, shown));
    const records = await openRecords(file, { ...options, named, onLongField });
    try {
      const { layout } = records;
      const part =
        first === undefined
          ? firstPart(records, checkedColumn(records, options))
          : furtherPart(first, records, sample.seen);
      layout.refuseUnits?.(options.nulls ?? [], records);
      later ??= new LaterColumns(layout);
      malformed.begin(part, sample.seen + unlabelled);
      if (first !== undefined && part.reads !== first.reads) later.hasAll();
      for await (const batch of records.batches) {
        if (sample.seen >= reported + STEP_ROWS) {
          reported = sample.seen;
          onStep(`reading: ${countOf(reported, 'row')}`);
        }
        const fields = part.fieldsOf(batch);
        malformed.add(fields.faults, batch);
        later.see(fields);
        for (const { label, index, record } of labelledRecords(batch, fields, part.column)) {
          if (isBlank(label) || nulls.has(label)) unlabelled++;
          else {
            const stratum = bins !== undefined ? '' : strata === undefined ? label.trim() : strata.of(label);
            sample.add(stratum ?? NO_NUMBER, record);
            const place = () => placeOf(layout.positionOf(batch, index), shown);
            if (strata !== undefined) textPlace ??= stratum === undefined ? place() : undefined;
            else if (bins === undefined) rare.see(label.trim(), place);
          }
        }
        if (sample.strata > MAX_TRAINED_CLASSES) {
          // Before the end of the file, because amounts would get a stratum per value.
          const counts = sample.counts();
          if (target === 'classes') refuseAmounts(counts, predict, numericClasses);
          if (!isOfAmounts(counts, target)) throw tooManyClasses(predict);
          const tenths = new NumberStrata(counts);
          strata = tenths;
          const texts = [...counts.keys()].filter(text => eitherNumber(text) === null);
          textPlace = texts[0] && rare.placeOf(texts[0]);
          sample.regroup(text => tenths.of(text) ?? NO_NUMBER);
        }
      }
      digests.push(await records.sha256());
      return part;
    } finally {
      records.close();
    }
  };
  try {
    for (const file of files) parts.push(await readFile(file, parts[0]));
    malformed.end(sample.seen + unlabelled);
    later?.end(predict, options);
    const [{ layout, column } = noFile()] = parts;
    const sampled = sampledRows(sample, parts, options.maxRecordBytes);
    emptyNulls(sampled, nulls);
    const place = (label: string) => textPlace ?? rare.placeOf(label.trim());
    const labelled = labelRows(sampled, column, { ...options, placeOf: place });
    const { rows, labels, numbers, order, notes: ofLabels } = labelled;
    const classOf = new Map(rows.map((row, index) => [(row[column] ?? '').trim(), labels[index] ?? '']));
    const ofClasses = numbers === undefined ? rare.notes(sample.counts(), classOf, predict) : [];
    return {
      header: layout.names,
      singles: layout.singles,
      column,
      rows,
      labels,
      numbers,
      order,
      sha256: digests.every(digest => digest !== null) ? combinedSha256(digests) : null,
      notes: [
        ...notes,
        ...malformed.notes(),
        ...notesOf(options, sample.seen, unlabelled, numbers !== undefined),
        ...(options.features === undefined ? (later?.notes() ?? []) : []),
        ...ofLabels,
        ...ofClasses,
      ],
    };
  } catch (error) {
    // Wherever in the file the error is, nothing was written yet.
    if (error instanceof RowcastError && error.severity === 'stopped') error.severity = 'refused';
    throw error;
  }
}

/** The index of the predicted column in the first file, whose header is checked. */
function checkedColumn({ name, layout }: HistoryFile, options: HistoryOptions): number {
  const { predict } = options;
  if (options.names === undefined) refuseRow(layout, name, options);
  const column = predictedColumn(layout.names, predict, layout.laterHeader([predict]) ?? layout.columnsHint);
  checkChoices(layout.names, predict, options);
  return column;
}

/** The sampled rows of all files, with the columns of the first one. */
function sampledRows(
  sample: StratifiedSample<string>,
  parts: readonly HistoryPart[],
  maxRecordBytes: number,
): string[][] {
  const records = sample.parts(parts.map(({ start }) => start));
  return parts.flatMap(({ reads, order }, index) => {
    const rows = rowsOf(reads, records[index] ?? [], maxRecordBytes);
    return order === undefined ? rows : rows.map(row => order.map(at => row[at] ?? ''));
  });
}

/** @param file its name, if there are several */
const placeOf = ({ line }: Position, file: string | undefined): string =>
  file === undefined ? `line ${line}` : `${file}, line ${line}`;

const noFile = (): never => {
  throw new Error('training data is at least one file');
};

/** A column that is to be predicted says nothing: whoever sees no names takes a value for one. */
const refuseRow = ({ names, columnsHint }: Layout, file: string, choices: ColumnChoices): void =>
  refuseRowAsHeader(
    {
      names,
      file,
      hint:
        columnsHint ??
        'Name the columns in their order: --names NAME,NAME,… If these are names all the same, list them with --features.',
    },
    namedColumns(choices),
  );

/** A batch's records, each with its value of the predicted column. */
function* labelledRecords(batch: Batch, fields: Fields, column: number) {
  let row = 0;
  for (const [index, end] of batch.ends.entries()) {
    if (batch.kinds[index] === RecordKind.blank || fields.faults.has(index)) continue;
    yield {
      label: textOf(fields, row++, column),
      index,
      // A separate Latin-1 string: a slice would keep the whole batch in memory.
      record: () => batch.bytes.toString('latin1', startOf(batch, index), end),
    };
  }
}

/** The stratum of labels that are not numbers. */
const NO_NUMBER = 'no number';

/** @throws RowcastError `bad_option` */
export function refuseBinsOfNumbers({ bins, target }: Pick<HistoryOptions, 'bins' | 'target'>): void {
  if (bins === undefined || target !== 'numbers') return;
  throw new RowcastError('bad_option', '--bins predicts ranges, which are classes, but --target is numbers', {
    hint: 'Leave out one of them.',
  });
}

function notesOf(
  { predict, bins }: HistoryOptions,
  labelled: number,
  unlabelled: number,
  isOfNumbers: boolean,
): string[] {
  return [
    ...(unlabelled === 0
      ? []
      : [`Left out ${countOf(unlabelled, 'row')} with an empty "${sanitize(predict)}".`]),
    ...(labelled <= MAX_ROWS
      ? []
      : [
          `Trained on a sample of ${counted(MAX_ROWS)} of the ${counted(labelled)} labelled rows${isOfNumbers ? ', stratified by tenths of the number' : bins === undefined ? ', stratified by class' : ''}.`,
        ]),
  ];
}

/** Empties the fields that stand for missing values, in place. */
function emptyNulls(rows: readonly string[][], nulls: ReadonlySet<string>): void {
  if (nulls.size === 0) return;
  for (const row of rows) for (let i = 0; i < row.length; i++) if (nulls.has(row[i] ?? '')) row[i] = '';
}
