import type { FaultCode } from '../../base/reference/reject-codes.ts';

/** What is wrong with a malformed record. Depends only on its bytes and the number of columns. */
export interface Fault {
  code: FaultCode;
  reason: string;
  /** What the user of a command may do about it. */
  hint?: string;
  /** How many lines the record has, if it has several. */
  lines?: number;
}

const faultCodes: Readonly<Record<FaultCode, true>> = {
  bad_quoting: true,
  too_few_fields: true,
  too_many_fields: true,
  not_utf8: true,
  repeated_header: true,
  empty_record: true,
  bad_json: true,
  repeated_member: true,
  scored_before: true,
  unknown_member: true,
  not_a_number: true,
};

/** Whether such a record is no row of data at all, so that training leaves it out. */
export const isNoRow = (code: string): boolean => code === 'repeated_header' || code === 'empty_record';

export const isFaultCode = (code: string): boolean => Object.hasOwn(faultCodes, code);

export const badQuoting: Fault = { code: 'bad_quoting', reason: 'text follows a closing quote' };
export const repeatedHeader: Fault = {
  code: 'repeated_header',
  reason: 'the record is the header again, as where files were joined',
};
export const emptyRecord: Fault = {
  code: 'empty_record',
  reason: 'all fields of the record are empty, as in an empty row of a spreadsheet',
};
export const notUtf8: Fault = {
  code: 'not_utf8',
  reason: 'the record is not valid UTF-8',
  hint: 'if the file has another encoding, name it, such as --encoding windows-1252',
};

/** Maximum number of cached faults: in a hostile file, every record can have a different number of fields. */
const MAX_KEPT = 100;

/**
 * Faults of records with the wrong number of fields. Cached per number of fields, because a file may have millions of
 * such records.
 *
 * @param width number of columns
 */
export function raggedFaults(width: number): (fields: number) => Fault {
  const kept = new Map<number, Fault>();
  return fields => {
    const known = kept.get(fields);
    if (known !== undefined) return known;
    const fault: Fault = {
      code: fields < width ? 'too_few_fields' : 'too_many_fields',
      reason: `the record has ${fields} ${fields === 1 ? 'field' : 'fields'}, the header ${width}`,
    };
    if (kept.size < MAX_KEPT) kept.set(fields, fault);
    return fault;
  };
}
