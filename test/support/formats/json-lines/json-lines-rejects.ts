import type { RejectRecords } from '../../../../src/formats/comparison.ts';
import { type Reject, reasonText } from '../../../../src/formats/records/reject.ts';

const BRACE = 0x7b;

/** Rejected records, whose first members say why; after these are their own bytes. */
export const rejectsText = (rejects: readonly Reject[]): Buffer =>
  Buffer.concat(
    rejects.flatMap(({ row, line, record, ...why }) => [
      Buffer.from(`{"reject_row":${row},"reject_line":${line},${causeOf(why)}`),
      withoutBrace(record),
      Buffer.from('\n'),
    ]),
  );

/** Reads such records. */
export const rejectRecords: RejectRecords = {
  wrongHeader: () => undefined,
  head({ bytes, start, contentEnd }) {
    const text = bytes.toString('latin1', start, contentEnd);
    const found =
      /^(\{"reject_row":(\d+),"reject_line":(\d+),)"reject_code":"([^"]*)","reject_reason":"(?:[^"\\]|\\.)*",/.exec(
        text,
      );
    if (found === null) return undefined;
    const [all, before = '', row = '', line = '', code = ''] = found;
    return { row, line, code, causeAt: start + before.length, at: start + all.length };
  },
  cause: fault => Buffer.from(causeOf(fault)),
  row: ({ bytes, start, contentEnd }) =>
    Buffer.concat([withoutBrace(bytes.subarray(start, contentEnd)), Buffer.from('\n')]),
  rowOf: ({ bytes, contentEnd }, at) => Buffer.concat([Buffer.from('{'), bytes.subarray(at, contentEnd)]),
};

const causeOf = (why: Pick<Reject, 'code' | 'reason' | 'hint'>): string =>
  `"reject_code":${JSON.stringify(why.code)},"reject_reason":${JSON.stringify(reasonText(why))},`;

const withoutBrace = (record: Buffer): Buffer => (record[0] === BRACE ? record.subarray(1) : record);
