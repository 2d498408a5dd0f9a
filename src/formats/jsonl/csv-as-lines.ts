import { RowcastError } from '../../base/errors.ts';
import type { Dialect } from '../../base/parse-records.ts';
import { sanitize } from '../../base/sanitize.ts';
import { copyBytes, textView, type WordView, wordView } from '../bytes/word-view.ts';
import type { RecordAt } from '../comparison.ts';
import type { CsvParts } from '../csv/csv-layout.ts';
import { FieldReader } from '../csv/fields/field-reader.ts';
import { headerOfLayout } from '../csv/header.ts';
import type { Layout } from '../format.ts';
import { numberEnd } from '../json/write-bytes.ts';
import { type Conversion, convertedOutput, convertRecords } from '../merge-records.ts';
import { type ColumnOptions, renamed } from '../output-columns.ts';
import { batchOfOne, RecordKind } from '../records/batch.ts';
import { CR, LF } from '../records/line-endings.ts';
import { isNumberType } from '../required-numbers.ts';
import { appendedTo, lineOutput } from './jsonl-layout.ts';
import { lineComparison } from './line-comparison.ts';
import type { LineShape } from './line-shape.ts';
import { membersOf, membersOfLine } from './members.ts';
import { lineColumns } from './merge-lines.ts';

/** What makes the same layout in another thread. */
export interface CsvAsLinesParts {
  readonly read: CsvParts;
  readonly options: Pick<ColumnOptions, 'keep' | 'rename' | 'types'>;
  readonly file: string;
}

/**
 * A CSV of which JSON lines are made: each record is an object with a member for each column.
 *
 * @param read the layout of the CSV
 * @param file its name, for messages
 * @throws RowcastError `missing_columns`, `duplicate_columns`
 */
export function csvAsLines(read: Layout, { keep, rename, types = {} }: ColumnOptions, file: string): Layout {
  const { names } = read;
  const { dialect } = headerOfLayout(read);
  const shape: LineShape = {
    bom: 0,
    names,
    members: names,
    values: names,
    absent: [],
    allowed: [],
    last: [],
  };
  const columns = lineColumns(shape, { keep, rename }, file);
  checkDistinct(Array.isArray(keep) ? names.filter(name => keep.includes(name)) : names, file);
  const isNumber = names.map(name => isNumberType(types[name]));
  const written = convertedOutput(lineOutput({ shape, columns }), () => cellLines(names, dialect, isNumber));
  const { ownNames } = written;
  const parts = { read: read.data?.value as CsvParts, options: { keep, rename, types }, file }; // its header was read
  return {
    ...read,
    ...written,
    groups: undefined,
    data: { format: 'jsonl', value: parts satisfies CsvAsLinesParts },
    /**
     * Compares the lines that a run makes of the records with those of the output, which tell the columns of numbers.
     */
    compareWith(output) {
      const appended = appendedTo(ownNames, output);
      const compared = lineComparison({ names, ownNames, columns, appended });
      const lineOf = comparedLines(names, dialect, name => renamed(name, columns));
      const ownOf = (record: RecordAt, line: RecordAt): RecordAt => compared.own(lineOf(record, line));
      return {
        ...compared,
        preserves: 'values',
        lineEnds: 'line feed',
        own: record => record,
        appendedOf: (record, line) => compared.appendedOf(ownOf(record, line), line),
        hasOwn: (record, line) => compared.hasOwn(ownOf(record, line), line),
        changedColumn: (record, line) => compared.changedColumn(ownOf(record, line), line),
      };
    },
  };
}

/** @throws RowcastError `duplicate_columns` */
function checkDistinct(names: readonly string[], file: string): void {
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated === undefined) return;
  throw new RowcastError('duplicate_columns', `the input has two columns "${sanitize(repeated)}"`, {
    location: { file, line: 1 },
    hint: 'Rename one: an object has each member once.',
  });
}

/** How many bytes of a line a byte of a field can become: a control character is an escape of six. */
const FIELD_GROWTH = 6;

const [QUOTE, BACKSLASH, OPEN, CLOSE, SPACE] = [0x22, 0x5c, 0x7b, 0x7d, 0x20];
const NULL = textView('null');

/**
 * Makes lines of the records of a CSV: each is an object, ending in a line feed if its record has a line ending. Those
 * of malformed and blank records are empty. A field is a string, and an empty one without quotes null. In a column of
 * numbers, one that is written as JSON writes numbers is a number, with the same digits.
 *
 * @param isNumber whether a column has numbers
 */
function cellLines(names: readonly string[], dialect: Dialect, isNumber: readonly boolean[]): Conversion {
  const width = names.length;
  const openings = names.map((name, index) => textView(`${index === 0 ? '' : ','}${JSON.stringify(name)}:`));
  // Braces, and null or quotes for each value.
  const maxBytes = openings.reduce((sum, { bytes }) => sum + bytes.length + NULL.bytes.length, 3);
  const reader = new FieldReader(width, dialect);
  const quote = dialect.quote?.charCodeAt(0);
  return {
    maxBytes,
    growth: FIELD_GROWTH,
    convert(batch) {
      const fields = reader.read(batch);
      const from = wordView(fields.bytes);
      const most = FIELD_GROWTH * batch.bytes.length + batch.ends.length * maxBytes;
      const written = { most, kind: RecordKind.plain, isEnd };
      return convertRecords(batch, fields.faults, written, (row, into, to) => {
        let at = to;
        into.bytes[at++] = OPEN;
        for (let column = 0; column < width; column++) {
          const { bytes } = openings[column] as WordView;
          at = copyBytes(openings[column] as WordView, 0, bytes.length, into, at);
          const field = row * width + column;
          const [start, end] = [fields.starts[field] as number, fields.ends[field] as number];
          const isMissing = start === end && (quote === undefined || from.bytes[start - 1] !== quote);
          if (isMissing) at = copyBytes(NULL, 0, NULL.bytes.length, into, at);
          else if (isNumber[column] === true && numberEnd(from.bytes, start, end) === end)
            at = copyBytes(from, start, end, into, at);
          else at = addString(from, start, end, into, at);
        }
        into.bytes[at++] = CLOSE;
        return at;
      });
    },
  };
}

/** Whether a record ends with this byte: the last one of an input may have no line ending. */
const isEnd = (byte: number | undefined): boolean => byte === LF || byte === CR;

function addString(from: WordView, start: number, end: number, into: WordView, to: number): number {
  const { bytes } = from;
  let isPlain = true;
  for (let at = start; at < end && isPlain; at++) {
    const byte = bytes[at] as number;
    isPlain = byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH;
  }
  if (!isPlain) return to + into.bytes.write(JSON.stringify(bytes.toString('utf8', start, end)), to);
  into.bytes[to] = QUOTE;
  const after = copyBytes(from, start, end, into, to + 1);
  into.bytes[after] = QUOTE;
  return after + 1;
}

/**
 * The lines that a run makes of the records of a CSV. A field that is written as a number may be one or a text, by the
 * type of its column, which only the first such value of the output tells.
 *
 * @param nameOf a column's name in the output
 * @returns a function of a record and of its line in the output, which gives its line as the output has it, with all
 *   columns
 */
function comparedLines(
  names: readonly string[],
  dialect: Dialect,
  nameOf: (column: string) => string,
): (record: RecordAt, output: RecordAt) => RecordAt {
  /** Whether each column has numbers, as far as the output has told. */
  const areNumbers: (boolean | undefined)[] = names.map(() => undefined);
  const linesIf = (isNumber: boolean): Conversion =>
    cellLines(
      names,
      dialect,
      areNumbers.map(known => known ?? isNumber),
    );
  let asTexts = linesIf(false);
  /** If the types of some columns are not known, the lines if they have numbers. */
  let asNumbers: Conversion | undefined = linesIf(true);
  /** Learns from the lines of a record, if the columns of which nothing is known have texts, or numbers. */
  const learn = (text: Buffer, number: Buffer, output: RecordAt): void => {
    const values = new Map(membersOfLine(output).map(({ name, value }) => [name, output.bytes[value]]));
    const [asText, asNumber] = [membersOf(text, 0, text.length), membersOf(number, 0, number.length)];
    for (const [column, name] of names.entries()) {
      const isEither = text[asText[column]?.value ?? -1] !== number[asNumber[column]?.value ?? -1];
      const first = values.get(nameOf(name));
      if (isEither && first !== undefined) areNumbers[column] = first !== QUOTE;
    }
    asTexts = linesIf(false);
    asNumbers = areNumbers.includes(undefined) ? linesIf(true) : undefined;
  };
  return ({ bytes, start, contentEnd }, output) => {
    const batch = batchOfOne(bytes.subarray(start, contentEnd));
    let line = asTexts.convert(batch).bytes;
    const other = asNumbers?.convert(batch).bytes;
    if (other !== undefined && !other.equals(line)) {
      learn(line, other, output);
      line = asTexts.convert(batch).bytes;
    }
    return { bytes: line, start: 0, contentEnd: line.length };
  };
}
