import { RowcastError } from '../../base/errors.ts';
import type { GroupEncoder } from '../../base/group-encoder.ts';
import type { RunValues } from '../../base/options/values/run-values.ts';
import type { WrittenFile } from '../../formats/column-options.ts';
import type { Layout } from '../../formats/format.ts';
import { encoderOf, formats } from '../../formats/formats.ts';
import type { EncodedColumn, GroupEncoding } from '../../formats/group-encoding.ts';
import { isNumberType } from '../../formats/number-types.ts';
import { type InputRange, isInside } from '../../formats/records/position.ts';
import { appendedOptionsFor } from '../../scoring/merge/appended-for.ts';
import { unknownClasses } from '../../scoring/merge/held-records.ts';
import type { Plan } from '../../scoring/prepare.ts';
import { nameOfContent } from '../../storage/codecs/codecs.ts';
import { refuseUnsupportedFormat } from '../../storage/codecs/refuse-unsupported-output.ts';

/**
 * Rows of a group of Parquet: a file of 20 columns then has some megabytes in each, and a run that is killed repeats a second's
 * work.
 */
const GROUP_ROWS = 100_000;

/**
 * The file that a run writes: its format is the one that is given, or that of its name, else that of the input.
 *
 * @throws RowcastError `unsupported_output` for a name that promises a format which cannot be written
 */
export function writtenFile({
  output,
  outputFormat,
  groupRows = GROUP_ROWS,
}: Pick<RunValues, 'output' | 'outputFormat' | 'groupRows'>): WrittenFile {
  const own = nameOfContent(output);
  if (outputFormat === undefined) refuseUnsupportedFormat(own);
  const name = outputFormat === undefined ? own : `${own}.${outputFormat}`;
  const format = formatOfName(name);
  return { name, format, groups: format === 'parquet' ? { rows: groupRows } : undefined };
}

/** The format that the name of a file tells. @param name without the suffix of a compression */
export const formatOfName = (name: string): string | undefined =>
  formats.find(({ isNameOf }) => isNameOf(name))?.name;

/**
 * Makes groups of the rows; undefined if the file that is written is text.
 *
 * @throws RowcastError as `encodedColumns`
 */
export async function encoderFor(plan: Plan, written: WrittenFile): Promise<GroupEncoder | undefined> {
  const { layout, options } = plan;
  const columns = encodedColumns(plan);
  return columns && fileEncoder(layout, { ...options, columns }, written);
}

/** Makes groups of the rows, of these columns, of an input. */
export const fileEncoder = (
  layout: Layout,
  { columns, nulls, keep, rename }: Omit<GroupEncoding, 'file'>,
  { name, format = layout.format }: WrittenFile,
): Promise<GroupEncoder | undefined> =>
  encoderOf(format, layout, { columns, nulls, keep, rename, file: name });

/** An encoder for a part of a file, to which the end is added when its parts are joined. */
export function withoutEnd(
  encoder: GroupEncoder,
  range: InputRange | undefined,
  layout: Pick<Layout, 'start'>,
): GroupEncoder {
  const isFirst = range === undefined || !isInside(range, layout);
  return {
    start: isFirst ? encoder.start : NOTHING,
    group: (...group) => encoder.group(...group),
    ...(encoder.hasCopied && { hasCopied: encoder.hasCopied.bind(encoder) }),
    end: () => [],
  };
}

const NOTHING = new Uint8Array();

/**
 * The columns of the groups that are written; undefined if the file that is written is text.
 *
 * @throws RowcastError `bad_option`; `unknown_classes` if it is not known before the first row which columns it has
 */
export function encodedColumns(plan: Plan): EncodedColumn[] | undefined {
  const { layout, options } = plan;
  if (layout.groups === undefined) return undefined;
  const { limit } = options;
  if (limit !== undefined && layout.rows !== undefined)
    throw new RowcastError('bad_option', '--limit: row groups of Parquet are copied whole', {
      hint: 'Write a CSV, with --output-format csv, or leave it out.',
    });
  return [...ownColumns(plan), ...appendedColumns(plan)];
}

/** The columns of the input that are written. Those of numbers are numbers in the report, or in the options. */
function ownColumns({ layout, features, options: { rename = {} } }: Plan): EncodedColumn[] {
  const types = new Map(features.map(({ name, type = '' }) => [rename[name] ?? name, type]));
  return layout.ownNames.map(name => ({
    name,
    type: isNumberType(types.get(name)) ? 'number' : 'text',
  }));
}

function appendedColumns({ layout, options, report }: Plan): EncodedColumn[] {
  const appended = appendedOptionsFor({ ...options, layout, report });
  if (appended === undefined) throw unknownClasses();
  const { predictionType, prediction } = appended;
  const names = layout.appendedNames(appended);
  const isText = (index: number): boolean =>
    predictionType.kind === 'label' ||
    (predictionType.kind === 'distribution' && prediction !== undefined && index === names.length - 1);
  return names.map((name, index) =>
    isText(index) ? { name, type: 'text' } : { name, type: 'number', isVaried: true },
  );
}
