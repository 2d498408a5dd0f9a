import type { PredictionType } from '../../base/contract/predictions.ts';
import { RowcastError } from '../../base/errors.ts';
import type { RunValues } from '../../base/options/values/run-values.ts';
import type { GroupEncoder } from '../../base/text-of-file.ts';
import type { Layout } from '../../formats/format.ts';
import { encoderOf, formats } from '../../formats/formats.ts';
import type { EncodedGroupColumn, EncoderOf, GroupEncoding } from '../../formats/group-encoding.ts';
import type { WrittenFile } from '../../formats/output-columns.ts';
import { type InputRange, isInside } from '../../formats/records/position.ts';
import { columnsToAppend } from '../../scoring/merge/appended-for.ts';
import { plannedPredictionType, type RowsPlan } from '../../scoring/prepare.ts';
import { nameOfContent } from '../../storage/codecs/codecs.ts';
import { refuseUnsupportedFormat } from '../../storage/codecs/refuse-unsupported-output.ts';

/**
 * Rows of a group of Parquet: a file of 20 columns then has some megabytes in each, and a run that is killed repeats a
 * second's work.
 */
const GROUP_ROWS = 100_000;

/**
 * The file that a run writes: its format is the one that is given, or that of its name, else that of the input.
 *
 * @throws RowcastError `unsupported_output` for a name, also of the rejects, that promises a format which is not
 *   written
 */
export function writtenFile({
  output,
  rejects,
  outputFormat,
  groupRows = GROUP_ROWS,
  hasFormatOption = true,
}: Pick<RunValues, 'output' | 'outputFormat' | 'groupRows'> & {
  rejects?: string | undefined;
  /** Whether the command has --output-format. */
  hasFormatOption?: boolean;
}): WrittenFile {
  const own = nameOfContent(output);
  if (outputFormat === undefined) refuseUnsupportedFormat(own, hasFormatOption);
  if (rejects !== undefined) checkRejectsName(rejects);
  const name = outputFormat === undefined ? own : `${own}.${outputFormat}`;
  const format = formatOfName(name);
  const isParquet = format === 'parquet';
  return { name, format, groups: isParquet ? { rows: groupRows } : undefined, hasNumbers: isParquet };
}

/** Rejects are text, whatever the output is. @throws RowcastError `unsupported_output` */
function checkRejectsName(rejects: string): void {
  const own = nameOfContent(rejects);
  refuseUnsupportedFormat(own, false);
  if (formatOfName(own) !== 'parquet') return;
  throw new RowcastError('unsupported_output', 'rejects are written as text, not as Parquet', {
    location: { file: rejects },
    hint: 'Use a name that ends in .csv or .jsonl (JSON lines).',
  });
}

/** The format that the name of a file tells. @param name without the suffix of a compression */
export const formatOfName = (name: string): string | undefined =>
  formats.find(({ isNameOf }) => isNameOf(name))?.name;

/**
 * Makes groups of the rows; undefined if the file that is written is text.
 *
 * @param planned what is predicted, if that was found out before
 * @throws RowcastError `bad_option`; `missing_columns`; `duplicate_columns` if it is known what is predicted
 */
export async function encoderFor(
  plan: RowsPlan,
  written: WrittenFile,
  planned: PredictionType | undefined = plannedPredictionType(plan),
): Promise<RunEncoder | undefined> {
  const { layout, values } = plan;
  if (layout.groups === undefined) return undefined;
  checkLimit(plan);
  const encoderOf = await fileEncoder(layout, values, written);
  if (encoderOf === undefined) return undefined;
  const encoder = runEncoder(type => encoderOf(columnsOf(plan, type)));
  if (planned !== undefined) encoder.predicts(planned);
  return encoder;
}

/** Makes groups of the rows of an input, once their columns are known. */
export const fileEncoder = (
  layout: Layout,
  { nulls, keep, rename }: Omit<GroupEncoding, 'file'>,
  { name, format = layout.format }: WrittenFile,
): Promise<EncoderOf | undefined> => encoderOf(format, layout, { nulls, keep, rename, file: name });

/** An encoder for a part of a file, to which the end is added when its parts are joined. */
export function withoutEnd(
  encoder: GroupEncoder,
  range: InputRange | undefined,
  layout: Pick<Layout, 'start'>,
): GroupEncoder {
  const isFirst = range === undefined || !isInside(range, layout);
  return {
    get start() {
      return isFirst ? encoder.start : NOTHING;
    },
    group: (...group) => encoder.group(...group),
    ...(encoder.hasCopied && { hasCopied: encoder.hasCopied.bind(encoder) }),
    end: () => [],
  };
}

const NOTHING = new Uint8Array();

/** The columns of the groups that are written; undefined if the file that is written is text. */
export const encodedColumns = (
  plan: RowsPlan,
  predictionType: PredictionType,
): EncodedGroupColumn[] | undefined => plan.layout.groups && columnsOf(plan, predictionType);

function columnsOf(
  { layout, values, report }: RowsPlan,
  predictionType: PredictionType,
): EncodedGroupColumn[] {
  const own = layout.ownNames.map(name => ({ name, type: typeIf(!layout.numberNames.has(name)) }));
  const appended = columnsToAppend({ ...values, layout, report }, predictionType);
  return [
    ...own,
    ...appended.map(({ name, isText }) => ({
      name,
      type: typeIf(isText),
      ...(!isText && { isVaried: true }),
    })),
  ];
}

const typeIf = (isText: boolean): EncodedGroupColumn['type'] => (isText ? 'text' : 'number');

function checkLimit({ layout, values: { limit } }: RowsPlan): void {
  if (limit === undefined || layout.rows === undefined) return;
  throw new RowcastError('bad_option', '--limit: row groups of Parquet are copied whole', {
    hint: 'Write a CSV, with --output-format csv, or leave it out.',
  });
}

/** Makes groups of the rows of a run. It may be known only with the first predictions which columns they have. */
export interface RunEncoder extends GroupEncoder {
  /**
   * Says what each prediction consists of, which does not change; needed before anything is written.
   *
   * @throws RowcastError `duplicate_columns`; `bad_option` for options that such predictions do not have
   */
  predicts(predictionType: PredictionType): void;
}

/** @param encoderOf throws RowcastError */
function runEncoder(encoderOf: (predictionType: PredictionType) => GroupEncoder): RunEncoder {
  let made: GroupEncoder | undefined;
  const encoder = (): GroupEncoder => {
    if (made === undefined) throw new Error('it is not known what is predicted');
    return made;
  };
  return {
    predicts(predictionType) {
      made ??= encoderOf(predictionType);
    },
    get start() {
      return encoder().start;
    },
    group: (...group) => encoder().group(...group),
    hasCopied: async (...copied) => (await encoder().hasCopied?.(...copied)) ?? true,
    end: notes => encoder().end(notes),
  };
}
