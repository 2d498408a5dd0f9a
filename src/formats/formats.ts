import { RowcastError } from '../base/errors.ts';
import type { StoredBytes, TextOfFile } from '../base/text-of-file.ts';
import { csvFormat } from './csv/csv-layout.ts';
import type { Format, Layout, Opened } from './format.ts';
import type { EncoderOf, GroupEncoding } from './group-encoding.ts';
import { jsonl } from './jsonl/jsonl-format.ts';
import type { ColumnOptions } from './output-columns.ts';
import { parquet } from './parquet/parquet-format.ts';
import type { ReadAs, ReadOptions } from './read-options.ts';
import { type ByteSource, chunksAfter } from './records/byte-source.ts';

/** The formats that can be read and written; the last one is that of each file which is of no other. */
export type Formats = readonly [...Format[], Format];

/** CSV, of which JSON lines may be made. */
const delimited: Format = {
  ...csvFormat,
  async readLayout(source, options) {
    if (options.writes?.format !== 'jsonl') return csvFormat.readLayout(source, options);
    const { csvAsLines } = await import('./jsonl/csv-as-lines.ts');
    const { layout, rest } = await csvFormat.readLayout(source, { ...options, keep: 'all', rename: {} });
    return { layout: csvAsLines(layout, options, source.name), rest };
  },
};

/** The formats of commands and functions. Another one is a folder next to `csv`, and a row here. */
export const formats: Formats = [parquet, jsonl, delimited];

/** Bytes of a file whose name does not tell its format that are looked at. */
const FIRST_BYTES = 512;

/** Reads the beginning of an input, in the format that its name tells, or else its first bytes. */
export async function readLayout(
  source: ByteSource,
  options: ReadOptions & ColumnOptions,
  known?: Formats,
): Promise<Opened & { format: Format }> {
  const { format, bytes } = await recognizeInput(source, options, known);
  checkTextOptions(options, format, source.name);
  return { format, ...(await format.readLayout(bytes, options)) };
}

/** @throws RowcastError `bad_option` for an option that only a CSV has */
function checkTextOptions(
  { skipLines = 0, escape: escaper }: ReadOptions,
  { name }: Format,
  file: string,
): void {
  if (name === 'csv' || (skipLines === 0 && escaper === undefined)) return;
  const option = skipLines > 0 ? '--skip-lines' : '--escape';
  throw new RowcastError('bad_option', `${option} is for CSV; the input is of the format ${name}`, {
    location: { file },
    hint: 'Leave it out.',
  });
}

/** The format of an input, as options, its name or its first bytes tell it. */
export const recognizeInput = (
  source: ByteSource,
  { inputFormat }: Pick<ReadOptions, 'inputFormat'>,
  known?: Formats,
): Promise<{ format: Format; bytes: ByteSource }> => recognize(named(source, inputFormat), known);

/** A source as if its name told its format. */
function named(source: ByteSource, format: string | undefined): ByteSource {
  if (format === undefined) return source;
  return withBytes(source, { contentName: `${source.name}.${format}` });
}

/** The format of an input, and the input, of whose bytes some may have been read and are given again. */
interface Recognized {
  format: Format;
  bytes: ByteSource;
  /** Whether nothing tells the format: neither its name nor a byte that is no space. */
  isEmpty: boolean;
}

/** Recognizes the format of an input. */
export async function recognize(source: ByteSource, known: Formats = formats): Promise<Recognized> {
  const named = known.find(format => format.isNameOf(source.contentName));
  if (named !== undefined) return { format: named, bytes: source, isEmpty: false };
  const others = known.slice(0, -1);
  if (others.length === 0) return { format: defaultFormat(known), bytes: source, isEmpty: false };
  const { first, format = defaultFormat(known) } = await beginning(source, others);
  return {
    format,
    isEmpty: first.toString('latin1').trim() === '',
    bytes: withBytes(source, { chunks: chunksAfter(first, source.chunks) }),
  };
}

/** A source that has another name or other bytes. It may be of a class, whose members are not copied by `...`. */
function withBytes(
  source: ByteSource,
  { contentName = source.contentName, chunks = source.chunks }: Partial<ByteSource>,
): ByteSource {
  const { name, isLive, stored } = source;
  return {
    name,
    contentName,
    isLive,
    stored,
    chunks,
    get decodedBy() {
      return source.decodedBy;
    },
    checkUnchanged: () => source.checkUnchanged(),
  };
}

/**
 * The format of a file that was made of an input: as its name tells, or its first bytes. A file without any has the
 * format of the input.
 */
export async function recognizeWritten(
  source: ByteSource,
  input: Format,
  known: Formats = formats,
): Promise<{ format: Format; bytes: ByteSource }> {
  const { isEmpty, ...found } = await recognize(source, known);
  return isEmpty ? { ...found, format: input } : found;
}

/** The format of the rejects of an input, of which an output of another format was made. */
export const rejectsFormat = (input: Format, written: Format): Format => {
  if (input.encoder === undefined) return input;
  return written.encoder === undefined ? written : csvFormat;
};

/** What a command's options mean for a file. @throws RowcastError `bad_dialect` */
export const readAsOf = (
  options: Pick<ReadOptions, 'delimiter' | 'quote' | 'escape'>,
  file: string,
  known: Formats = formats,
): ReadAs => (known.find(format => format.isNameOf(file)) ?? defaultFormat(known)).readAs(options, file);

/** The text of a file that another thread has. @param file its name, for messages */
export async function textOfSource(
  stored: StoredBytes,
  file: string,
  { codec, data }: Pick<TextOfFile, 'codec' | 'data'>,
): Promise<TextOfFile> {
  const text = await formats.find(({ name }) => name === codec)?.textOf?.(stored, file, data);
  if (text === undefined) throw new Error(`${codec} has no text`);
  return text;
}

/** What makes a file of this format of rows; undefined if it is text, as the rows are. */
export async function encoderOf(
  name: string | undefined,
  layout: Layout,
  encoding: GroupEncoding,
): Promise<EncoderOf | undefined> {
  return formats.find(format => format.name === name)?.encoder?.(layout, encoding);
}

/** A list of formats is not empty. */
const defaultFormat = (known: Formats): Format => known.at(-1) as Format;

/** Reads as little as tells the format: a pipe may have no more for a long time. */
async function beginning(
  { chunks }: ByteSource,
  known: readonly Format[],
): Promise<{ first: Buffer; format: Format | undefined }> {
  let first: Buffer = Buffer.alloc(0);
  for (;;) {
    const { value = Buffer.alloc(0), done } = await chunks.next();
    first = Buffer.concat([first, value]);
    // Nothing more comes, or nothing for now.
    const isAll = done === true || first.length >= FIRST_BYTES || (value.length === 0 && first.length > 0);
    const begins = known.map(format => format.begins(first, isAll));
    const found = known.find((_, index) => begins[index] === true);
    if (isAll || found !== undefined || !begins.includes(undefined)) return { first, format: found };
  }
}
