import { type Dialect, parseRecords } from '../../base/parse-records.ts';
import { writeRow } from '../../base/write-row.ts';
import type { RejectRecords } from '../comparison.ts';
import type { Layout, RejectsFile } from '../format.ts';
import { type ColumnOptions, type OutputColumns, outputColumns } from '../output-columns.ts';
import type { ReadOptions } from '../read-options.ts';
import { type ByteSource, chunksAfter } from '../records/byte-source.ts';
import { type Reject, reasonText, rejectColumns } from '../records/reject.ts';
import { csvComparison } from './csv-comparison.ts';
import { fieldEnd } from './fields/count-fields.ts';
import { type Header, headerOfLayout, readBytes } from './header.ts';
import { keptContent } from './kept-records.ts';
import { type Head, readHead } from './read-head.ts';

/**
 * A rejects file, by its header.
 *
 * @param layoutOf makes a layout of a header
 * @returns undefined if it is not the header of a rejects file
 */
export function csvRejectsFile(
  header: Header,
  options: ColumnOptions,
  file: string,
  layoutOf: (header: Header, columns?: OutputColumns) => Layout,
): RejectsFile | undefined {
  const { bytes, contentStart, names, dialect } = header;
  const before = rejectColumns.map(name => name + dialect.delimiter).join('');
  const own = contentStart + before.length;
  if (bytes.toString('latin1', contentStart, own) !== before) return undefined;
  const input: Header = {
    ...header,
    bytes: Buffer.concat([bytes.subarray(0, contentStart), bytes.subarray(own)]),
    contentEnd: header.contentEnd - before.length,
    names: names.slice(rejectColumns.length),
  };
  const hasHeader = options.outputHeader !== false;
  return {
    input: layoutOf(input, outputColumns(input, options, file)),
    ending: rejectEnding(input),
    hasColumnsOf: other => contentOf(headerOfLayout(other)).equals(contentOf(header)),
    async readCorrections(source, read) {
      const { loneCr } = dialect;
      const { header: found, rest } = await (hasHeader
        ? readHead(source, read)
        : readCorrectedHead(source, { ...read, loneCr }));
      return { layout: layoutOf(found), rest };
    },
    compareCorrections(correctedLayout, outputLayout, outputFile) {
      const [corrected, output] = [headerOfLayout(correctedLayout), headerOfLayout(outputLayout)];
      const expected = Buffer.concat([Buffer.from(before), contentOf(output)]);
      if (hasHeader && !contentOf(corrected).equals(expected))
        return { wrong: `the header is not ${before} followed by that of ${outputFile}` };
      // Without a header and rows, nothing tells the columns of the output.
      const { length } = output.names;
      const wanted = length === 0 ? undefined : rejectColumns.length + length;
      const { length: found } = corrected.names;
      if (wanted !== undefined && found > 0 && found !== wanted)
        return { wrong: `there are ${found} columns, but with those of ${outputFile} ${wanted}` };
      const outputHeader = corrected.instead === undefined;
      return csvComparison(
        header,
        outputColumns(header, { ...options, outputHeader }, file),
        corrected,
        file,
      );
    },
  };
}

const contentOf = ({ bytes, contentStart, contentEnd }: Header): Buffer =>
  bytes.subarray(contentStart, contentEnd);

/**
 * Reads the head of the corrections of an output without a header: they may have been scored with that option too. Then
 * they begin with a row, and so with its number.
 */
async function readCorrectedHead(source: ByteSource, options: ReadOptions): Promise<Head> {
  const head = await readHead(source, { ...options, names: 'numbers' });
  const { rest, header } = head;
  const isRow = /^\W?\d/.test(rest.toString('latin1', 0, 2));
  if (isRow || header.names.length === 0) return head;
  const { name, contentName } = source;
  const chunks = chunksAfter(Buffer.concat([readBytes(header), rest]), source.chunks);
  return readHead({ name, contentName, chunks }, options);
}

/**
 * Reads the records of rejects files.
 *
 * @param header of the input
 * @param kept the columns of the input that they have; by default all
 */
export function csvRejectRecords(header: Header, kept?: readonly number[]): RejectRecords {
  const { dialect } = header;
  const ending = rejectEnding(header);
  return {
    wrongHeader({ preamble }, input) {
      const columns = rejectColumns.map(name => name + dialect.delimiter).join('');
      const expected = Buffer.concat([Buffer.from(columns), keptHeader(header, kept)]);
      if (withoutBom(preamble).equals(expected)) return undefined;
      return `the header is not ${columns} followed by that of ${input}`;
    },
    head({ bytes, start, contentEnd }) {
      const ends: number[] = [];
      for (let column = 0, at = start; column < rejectColumns.length; column++) {
        const end = fieldEnd(bytes, at, contentEnd, dialect);
        if (end === contentEnd) return undefined;
        ends.push(end);
        at = end + 1;
      }
      const [rowEnd = start, lineEnd = start, codeEnd = start, reasonEnd = start] = ends;
      return {
        row: bytes.toString('latin1', start, rowEnd),
        line: bytes.toString('latin1', rowEnd + 1, lineEnd),
        code: bytes.toString('latin1', lineEnd + 1, codeEnd),
        reason: parseRecords(bytes.toString('utf8', codeEnd + 1, reasonEnd), dialect)[0]?.[0] ?? '',
        causeAt: lineEnd + 1,
        at: reasonEnd + 1,
      };
    },
    cause: fault => causeText(fault, dialect),
    row: ({ bytes, start, contentEnd }) =>
      Buffer.concat([keptContent(bytes.subarray(start, contentEnd), dialect, kept), ending]),
    rowOf: ({ bytes, contentEnd }, at) => bytes.subarray(at, contentEnd),
  };
}

/** The fields of a header, without a BOM, and its line ending. */
const keptHeader = ({ bytes, contentStart, contentEnd, dialect }: Header, kept?: readonly number[]): Buffer =>
  Buffer.concat([
    keptContent(bytes.subarray(contentStart, contentEnd), dialect, kept),
    bytes.subarray(contentEnd),
  ]);

const BOM = Buffer.from('\ufeff');

function withoutBom(bytes: Buffer): Buffer {
  return bytes.subarray(0, BOM.length).equals(BOM) ? bytes.subarray(BOM.length) : bytes;
}

const NOTHING = Buffer.alloc(0);
/** Maximum size of a row or line number and the delimiter after it. */
const NUMBER_BYTES = 17;

/** The header of a rejects file: our columns, then those of the input. */
export function rejectsHeaderText(header: Header): Buffer {
  const { bytes, contentStart, contentEnd, dialect } = header;
  return Buffer.concat([
    bytes.subarray(0, contentStart),
    Buffer.from(fieldsBefore(rejectColumns, dialect)),
    bytes.subarray(contentStart, contentEnd),
    rejectEnding(header),
  ]);
}

/**
 * Formats rejected records for the rejects file: row, line, code and reason, then the raw record.
 *
 * @param isFirst whether to write the header first
 */
export function rejectsText(rejects: readonly Reject[], header: Header, isFirst: boolean): Buffer {
  if (rejects.length === 0) return NOTHING;
  const { dialect } = header;
  const { delimiter } = dialect;
  const ending = rejectEnding(header);
  const head = rejectsHeaderText(header);
  const causes = causesOf(rejects, dialect);
  let size = head.length;
  for (const [index, { record }] of rejects.entries())
    size += 2 * NUMBER_BYTES + (causes[index]?.length ?? 0) + record.length + ending.length;
  // Written into one buffer, because all rows of a batch may be rejects.
  const text = Buffer.allocUnsafe(size);
  let at = isFirst ? head.copy(text) : 0;
  for (const [index, { row, line, record }] of rejects.entries()) {
    at += text.write(`${row}${delimiter}${line}${delimiter}`, at, 'latin1');
    at += causes[index]?.copy(text, at) ?? 0;
    at += record.copy(text, at);
    at += ending.copy(text, at);
  }
  return text.subarray(0, at);
}

/** The line ending of each record in the rejects file: the header's, or a line feed if it has none. */
export function rejectEnding({ bytes, contentEnd }: Header): Buffer {
  return contentEnd === bytes.length ? Buffer.from('\n') : bytes.subarray(contentEnd);
}

/** Each reject's code and reason as fields. Cached, because most rejects of a batch have the same. */
function causesOf(rejects: readonly Reject[], dialect: Dialect): Buffer[] {
  const known = new Map<string, Buffer>();
  return rejects.map(reject => {
    const key = `${reject.code}\n${reject.reason}`;
    const cause = known.get(key) ?? causeText(reject, dialect);
    known.set(key, cause);
    return cause;
  });
}

/** Code and reason as fields, followed by a delimiter. */
function causeText({ code, ...why }: Pick<Reject, 'code' | 'reason' | 'hint'>, dialect: Dialect): Buffer {
  return Buffer.from(fieldsBefore([code, reasonText(why)], dialect));
}

/**
 * In a dialect without quotes, characters that need them are replaced by a space, or by "_" if spaces separate fields.
 */
function fieldsBefore(fields: readonly string[], dialect: Dialect): string {
  const { delimiter, quote } = dialect;
  const plain = (field: string): string => {
    const text = field.replace(/[\r\n]/g, ' ').replaceAll(delimiter, ' ');
    return delimiter === ' ' ? text.replaceAll(' ', '_') : text;
  };
  const writable = quote === undefined ? fields.map(plain) : fields;
  return writeRow(writable, dialect).slice(0, -1) + delimiter;
}
