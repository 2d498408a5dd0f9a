import { isUtf8 } from 'node:buffer';
import type { Dialect } from '../../../base/parse-records.ts';
import { type Batch, RecordKind, startOf } from '../../records/batch.ts';
import {
  badQuoting,
  emptyRecord,
  type Fault,
  notUtf8,
  raggedFaults,
  repeatedHeader,
} from '../../records/faults.ts';
import { contentEnd } from '../../records/line-endings.ts';
import { countFields, faultOfRecord } from './count-fields.ts';
import type { NumberFinder } from './number-finder.ts';

/**
 * Finds the malformed records of a batch: those in which `FieldReader` finds a fault. No field is decoded, which is several
 * times as fast; a property test checks that both agree.
 *
 * @param width number of fields in a valid record
 * @param numbers finds what is wrong in columns of numbers, if there are such columns
 * @returns a batch's malformed records: index → what is wrong with it, in order
 */
export function malformedFinder(
  width: number,
  dialect: Dialect,
  numbers?: NumberFinder,
): (batch: Batch) => ReadonlyMap<number, Fault> {
  // In a record without a quoted field, quotes are data.
  const bare: Dialect = { ...dialect, quote: undefined };
  const ragged = raggedFaults(width);
  return batch => {
    const { bytes, ends, kinds } = batch;
    const found = new Map<number, Fault>();
    const allUtf8 = isUtf8(bytes);
    for (const [index, end] of ends.entries()) {
      const kind = kinds[index];
      if (kind === RecordKind.blank) continue;
      const start = startOf(batch, index);
      if (kind === RecordKind.malformed)
        found.set(index, faultOfRecord(badQuoting, bytes, start, end, dialect));
      else if (kind === RecordKind.header) found.set(index, repeatedHeader);
      else if (kind === RecordKind.empty) found.set(index, emptyRecord);
      else if (kind === RecordKind.notANumber && numbers !== undefined)
        found.set(index, numbers.faultOf(bytes, start, end));
      else if (!allUtf8 && !isUtf8(bytes.subarray(start, end))) found.set(index, notUtf8);
      else {
        const content = contentEnd(bytes, start, end, dialect);
        const fields = countFields(bytes, start, content, kind === RecordKind.quoted ? dialect : bare);
        if (fields !== width) found.set(index, faultOfRecord(ragged(fields), bytes, start, end, dialect));
      }
    }
    return found;
  };
}
