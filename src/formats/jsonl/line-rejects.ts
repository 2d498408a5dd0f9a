import { jsonValue } from '../../base/json-value.ts';
import { filteredBy, type PipedFile } from '../../base/shell-pipe.ts';
import type { RejectRecords } from '../comparison.ts';
import {
  type MalformedCause,
  type MalformedRecord,
  mostFrequentCause,
  REJECT_RECORD,
  type Reject,
  reasonText,
} from '../records/reject.ts';
import { objectOn } from './members.ts';
import { closingBrace, isEmptyUntil } from './merge-lines.ts';

const OPEN = 0x7b;
const [LF, COMMA, BRACE] = [Buffer.from('\n'), Buffer.from(','), Buffer.from('{')];
/** A line that is not an object is a text, so that each reject is one. */
const TEXT = Buffer.from(`,${JSON.stringify(REJECT_RECORD)}:`);

/** The members before a rejected line, as rowcast writes them. */
const HEAD =
  /^(\{"reject_row":(\d+),"reject_line":(\d+),)"reject_code":"([^"]*)","reject_reason":("(?:[^"\\]|\\.)*")/;

/** The members that rowcast writes before a rejected line, with the spaces that other programs may put between them. */
const EDITED_HEAD =
  /^(\s*\{\s*"reject_row"\s*:\s*(\d+)\s*,\s*"reject_line"\s*:\s*(\d+)\s*,\s*)"reject_code"\s*:\s*"([^"]*)"\s*,\s*"reject_reason"\s*:\s*("(?:[^"\\]|\\.)*")\s*/;
/** A comma, and the spaces around it. */
const SEPARATOR = /^\s*,?\s*/;

/** Rejected lines, as objects whose first members say why; behind them are their own members. */
export const lineRejectsText = (rejects: readonly Reject[]): Buffer =>
  Buffer.concat(
    rejects.flatMap(({ row, line, record, ...why }) => [
      Buffer.from(`{"reject_row":${row},"reject_line":${line},${causeOf(why)}`),
      membersAfter(record),
      LF,
    ]),
  );

/** Reads such lines. */
export const lineRejectRecords: RejectRecords = {
  wrongHeader: () => undefined,
  head({ bytes, start, contentEnd }, isEdited = false) {
    const found = (isEdited ? EDITED_HEAD : HEAD).exec(bytes.toString('latin1', start, contentEnd));
    if (found === null) return undefined;
    const [all, before = '', row = '', line = '', code = '', json = ''] = found;
    const at = start + all.length;
    const reason = jsonValue(Buffer.from(json, 'latin1').toString());
    if (typeof reason !== 'string') return undefined; // an escape is wrong
    return { row, line, code, reason, causeAt: start + before.length, at };
  },
  means(record, reject, { bytes, start, contentEnd }) {
    const written = lineRejectsText([{ ...reject, record: bytes.subarray(start, contentEnd) }]);
    const own = record.bytes.subarray(record.start, record.contentEnd);
    return valuesIn(own) === valuesIn(written);
  },
  cause: fault => Buffer.from(causeOf(fault)),
  row: ({ bytes, start, contentEnd }) => Buffer.concat([membersAfter(bytes.subarray(start, contentEnd)), LF]),
  rowOf({ bytes, contentEnd }, at) {
    const rest = bytes.subarray(at, contentEnd);
    const [separator = ''] = SEPARATOR.exec(rest.toString('latin1')) ?? [];
    return Buffer.concat([BRACE, rest.subarray(separator.length)]);
  },
};

const causeOf = (why: Pick<Reject, 'code' | 'reason' | 'hint'>): string =>
  `"reject_code":${JSON.stringify(why.code)},"reject_reason":${JSON.stringify(reasonText(why))}`;

/** The values of a line as the same text, whatever its spaces and escapes are. */
const valuesIn = (line: Buffer): string | undefined => JSON.stringify(objectOn(line.toString()));

/** The members of a rejected line, or the line as one member, with the closing brace. */
function membersAfter(record: Buffer): Buffer {
  const text = record.toString();
  if (objectOn(text) === undefined) return Buffer.concat([TEXT, Buffer.from(`${JSON.stringify(text)}}`)]);
  const members = record.subarray(record.indexOf(OPEN) + 1);
  const brace = closingBrace(record, 0, record.length);
  return isEmptyUntil(record, brace) ? members : Buffer.concat([COMMA, members]);
}

/** An object, behind which a comma separates it from the next one of a list. */
const WITH_COMMA = /^\s*\{.*\}\s*,\s*$/s;

/**
 * Why the lines of JSON lines are malformed.
 *
 * @param records in input order
 * @param file for the command
 */
export function whyMalformedLine(records: readonly MalformedRecord[], file: PipedFile): MalformedCause {
  const texts = records.map(({ record }) => record.toString());
  const [example] = records;
  if (texts[0]?.trimStart().startsWith('['))
    return { cause: 'the lines are those of a list', remedy: filteredBy(file, "jq -c '.[]'"), example };
  const withComma = records.filter((_, index) => WITH_COMMA.test(texts[index] ?? ''));
  if (2 * withComma.length > texts.length)
    return {
      cause: `${withComma.length === texts.length ? 'the' : 'most'} lines end with a comma`,
      remedy: filteredBy(file, "sed 's/,[[:space:]]*$//'"),
      example: withComma[0],
    };
  if (texts[0]?.trim() === '{')
    return { cause: 'an object has several lines', remedy: filteredBy(file, 'jq -c .'), example };
  return mostFrequentCause(records, 'Write one JSON object on each line.');
}
