import { RowcastError } from '../../errors.ts';
import type { Appended } from '../../formats/csv/appended-columns.ts';
import { startOf } from '../../formats/csv/batch.ts';
import { CR, contentEnd, type Dialect, joinsLine } from '../../formats/csv/dialect.ts';
import type { Position } from '../../formats/csv/position.ts';
import { RecordKind } from '../../formats/csv/scan-record.ts';
import type { ScoredBatch } from '../in-flight.ts';
import type { GzipMembers } from './gzip-members.ts';

interface HeldRecord {
  /** A copy: the buffer that the record came in is reused. */
  bytes: Buffer;
  isBlank: boolean;
  /** Where it begins in the input. */
  start: Pick<Position, 'offset' | 'row'>;
}

/** As much as may be in flight; beyond that something else is wrong. */
const MAX_BYTES = 32 << 20;
/** What a record takes beside its bytes: an object and a Buffer. */
const RECORD_OVERHEAD = 200;
const LONE_CR = Buffer.of(CR);

/**
 * The records that wait for the header, because no response has told the classes yet: blank lines and rows that the
 * service rejected. Malformed records are not in the output, so they wait for nothing.
 */
export class HeldRecords {
  readonly #dialect: Dialect;
  #records: HeldRecord[] = [];
  #bytes = 0;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** Where the first one begins in the input; undefined where there is none. */
  get firstPosition(): Pick<Position, 'offset' | 'row'> | undefined {
    return this.#records[0]?.start;
  }

  /**
   * Holds what a batch without a scored row has for the output.
   *
   * @throws RowcastError `unknown_classes` when too much waits
   */
  add({ batch, faults }: ScoredBatch): void {
    let { row } = batch.start;
    for (const [index, kind] of batch.kinds.entries()) {
      const from = startOf(batch, index);
      const isBlank = kind === RecordKind.blank;
      if (!faults.has(index)) {
        const bytes = Buffer.from(batch.bytes.subarray(from, batch.ends[index]));
        this.#records.push({ bytes, isBlank, start: { offset: batch.start.offset + from, row } });
        this.#bytes += bytes.length + RECORD_OVERHEAD;
      }
      if (!isBlank) row++;
    }
    if (this.#bytes > MAX_BYTES) throw unknownClasses();
  }

  /**
   * The held records as output, in pieces of one gzip member each.
   *
   * @param next where the record after them begins
   * @param lastByte of the output so far
   */
  *release(
    appended: Appended,
    members: GzipMembers,
    next: Position,
    lastByte: number | undefined,
  ): Generator<{ bytes: Buffer; endsMember: boolean }> {
    const records = this.#records;
    this.#records = [];
    let pieces: Buffer[] = [];
    let last = lastByte;
    for (const [index, { bytes, isBlank, start }] of records.entries()) {
      if (isBlank) pieces.push(...(joinsLine(last, bytes[0]) ? [LONE_CR] : []), bytes);
      else {
        const content = contentEnd(bytes, 0, bytes.length, this.#dialect);
        pieces.push(bytes.subarray(0, content), appended.empty.bytes, bytes.subarray(content));
      }
      last = bytes.at(-1);
      const endsMember = !members.isSame(start, records[index + 1]?.start ?? next);
      if (!endsMember && index < records.length - 1) continue;
      yield { bytes: Buffer.concat(pieces), endsMember };
      pieces = [];
    }
  }
}

export function unknownClasses(): RowcastError {
  return new RowcastError(
    'unknown_classes',
    'the classes are not known: neither the report nor a response to the rows so far names them',
    { hint: 'Name them in a definition: classes: [no, yes].' },
  );
}
