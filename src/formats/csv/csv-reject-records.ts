import { parseRecords } from '../../base/parse-records.ts';
import type { RejectRecords } from '../comparison.ts';
import { rejectColumns } from '../records/reject-columns.ts';
import { fieldEnd } from './fields/count-fields.ts';
import type { Header } from './header.ts';
import { keptContent } from './kept-records.ts';
import { causeText, rejectEnding } from './reject-records.ts';

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
