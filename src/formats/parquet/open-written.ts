import { RowcastError } from '../../base/errors.ts';
import { COMMAS } from '../../base/parse-records.ts';
import { sanitize } from '../../base/sanitize.ts';
import { writeRow } from '../../base/write-row.ts';
import { headerOf } from '../csv/csv-comparison.ts';
import { csvLayout } from '../csv/csv-layout.ts';
import { fieldEnd } from '../csv/fields/count-fields.ts';
import type { OpenedGroups, RepairedColumns } from '../format.ts';
import type { ByteSource } from '../records/byte-source.ts';
import { doubleOf } from '../required-numbers.ts';
import { type FileColumn, outermostName } from './footer/file-column.ts';
import { openParquet, type ParquetFile } from './footer/parquet-file.ts';
import { ParquetText } from './text/parquet-text.ts';
import { changedColumn } from './writing/changed-column.ts';
import { RepairedFile } from './writing/repaired-file.ts';

/**
 * Opens a file whose rejected rows are to be put in place. It is read as a CSV of the columns that its rejects have,
 * and of those that were appended.
 *
 * @throws RowcastError `usage` if it does not have all of them; `bad_parquet`, `unreadable_input`
 */
export async function openWritten(
  { name, stored }: ByteSource,
  { rejects, appended, rename = {}, nulls }: RepairedColumns,
): Promise<OpenedGroups> {
  if (stored === undefined) throw new Error('Parquet that is written again is a file');
  const { delimiter, quote, escape: escaper } = rejects.readAs;
  if (delimiter !== ',' || quote !== '"' || escaper !== undefined)
    throw notRepaired(name, 'its rejects are not delimited by commas, with quotes that are doubled');
  const file = await openParquet(stored, name);
  const formerNames = new Map(Object.entries(rename).map(([from, to]) => [to, from]));
  const ofInput = new Map(
    file.values.map(column => {
      const outermost = outermostName(column);
      const former = formerNames.get(outermost) ?? outermost;
      return [former + column.name.slice(outermost.length), column];
    }),
  );
  const ofOutput = new Map(file.columns.map(column => [column.name, column]));
  const readable = (own: string, found: FileColumn | undefined): FileColumn => {
    if (found !== undefined && found.type.is !== 'unsupported') return found;
    const what = `it has no column "${sanitize(own)}", which its rejects or the corrections have`;
    throw notRepaired(name, what);
  };
  const columns = [
    ...rejects.names.map(own => readable(rename[own] ?? own, ofInput.get(own))),
    ...appended.map(own => readable(rename[own] ?? own, ofOutput.get(rename[own] ?? own))),
  ];
  const header = Buffer.concat([
    rejects.preamble.subarray(0, rejects.contentEnd(rejects.preamble, 0, rejects.preamble.length)),
    Buffer.from(appended.map(each => `,${writeRow([each]).slice(0, -1)}`).join('')),
    rejects.preamble.subarray(rejects.contentEnd(rejects.preamble, 0, rejects.preamble.length)),
  ]);
  const text = new ParquetText(file, columns, 'csv', header);
  /** The text of each group that was read, until its group is made again. */
  const texts = new Map<number, Buffer[]>();
  text.onText = (group, chunk) => texts.set(group, [...(texts.get(group) ?? []), Buffer.from(chunk)]);
  stored.readAs(text, header.length);
  const added = addedRows(file, columns);
  const unchanged = { numbers: columns.map(({ type }) => type.is === 'double'), nulls: new Set(nulls) };
  return {
    layout: csvLayout({ header: headerOf(header, { file: name }) }),
    rest: Buffer.alloc(0),
    groups: { ends: added.ends },
    encoder: new RepairedFile({
      file,
      columns,
      own: rejects.names.length,
      textOf(group) {
        const chunks = texts.get(group) ?? [];
        texts.delete(group);
        return Buffer.concat(chunks);
      },
    }),
    asWritten: (corrected, former) => keepUnchanged(corrected, former, unchanged),
    addRow: added.add,
    canAdd: corrected => !hasTextOfRows(corrected, unchanged),
  };
}

const notRepaired = (file: string, why: string): RowcastError =>
  new RowcastError('usage', `the output cannot be repaired: ${why}`, {
    location: { file },
    hint: 'Score the corrected rows into a file of their own, or correct the input and score it again.',
  });

/**
 * Places for rows that a file does not have: each goes into the group of the row that it comes before, or into the last
 * one.
 *
 * @param columns those that are written again
 * @returns the number of the last row of each group, with the rows that were added so far (nothing is after the last
 *   group), and what adds one
 */
function addedRows(
  { groups, columns: all }: ParquetFile,
  columns: readonly FileColumn[],
): { ends: readonly number[]; add: OpenedGroups['addRow'] } {
  const formerEnds = groups.map(({ before, rows }) => before + rows);
  const ends = [...formerEnds.slice(0, -1), Number.POSITIVE_INFINITY];
  const areWritten = all.every(column => columns.includes(column) && changedColumn(column) !== undefined);
  const empty = areWritten && groups.length > 0 ? Buffer.alloc(columns.length - 1, ',') : undefined;
  return {
    ends,
    add(after) {
      if (empty === undefined) return undefined;
      for (let group = ends.length - 2; group >= 0 && (formerEnds[group] ?? 0) > after; group--)
        ends[group] = (ends[group] ?? 0) + 1;
      return empty;
    },
  };
}

const [COMMA, QUOTE] = [0x2c, 0x22];
const NOTHING = Buffer.alloc(0);

interface UnchangedOptions {
  /** Whether each column has numbers. */
  readonly numbers: readonly boolean[];
  /** Texts that stood for a missing number when the output was made. */
  readonly nulls: ReadonlySet<string>;
}

/**
 * A corrected row of a CSV with commas, in which a field that stands for the value which the output has is written as
 * there: the input may have written it in another way. The fields of the rejects do not tell what was corrected,
 * because they may be corrected in their place.
 */
export function keepUnchanged(corrected: Buffer, output: Buffer, options: UnchangedOptions): Buffer {
  const written = fieldsOf(output);
  const fields = fieldsOf(corrected).map((field, index) => {
    const own = written[index];
    if (own === undefined) return field;
    const [text, former] = [textOf(field), textOf(own)];
    if (text === former) return own;
    if (options.numbers[index] !== true) return field;
    if (options.nulls.has(text)) return NOTHING;
    const number = doubleOf(text, options.nulls);
    const isSame =
      former === '' ? number === undefined || number === null : Object.is(number, Number(former));
    return isSame ? own : field;
  });
  return Buffer.concat(fields.flatMap((field, index) => (index === 0 ? [field] : [Buffer.of(COMMA), field])));
}

/** Whether a corrected row has a text in a column of numbers, which stands for no missing one. */
const hasTextOfRows = (corrected: Buffer, { numbers, nulls }: UnchangedOptions): boolean =>
  fieldsOf(corrected).some(
    (field, index) => numbers[index] === true && doubleOf(textOf(field), nulls) === undefined,
  );

/** The fields of a row that is well formed, with their quotes. */
function fieldsOf(row: Buffer): Buffer[] {
  const fields: Buffer[] = [];
  for (let start = 0; start <= row.length; ) {
    const end = fieldEnd(row, start, row.length, COMMAS);
    fields.push(row.subarray(start, end));
    start = end + 1;
  }
  return fields;
}

function textOf(field: Buffer): string {
  const text = field.toString();
  return field[0] === QUOTE ? text.slice(1, -1).replaceAll('""', '"') : text;
}
