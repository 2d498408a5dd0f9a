import { RowcastError } from '../../base/errors.ts';
import type { Appended } from '../../formats/appended.ts';
import type { Layout } from '../../formats/format.ts';
import { batchOfOne, RecordKind, startOf } from '../../formats/records/batch.ts';
import type { Position } from '../../formats/records/position.ts';
import { joinValues } from '../batch/join-predictions.ts';
import type { ScoredBatch } from '../scorer.ts';
import type { Members } from './members.ts';

interface HeldRecord {
  /** A copy, because the read buffer is reused. */
  bytes: Buffer;
  isBlank: boolean;
  /** Its start in the input. */
  start: Pick<Position, 'offset' | 'row'>;
}

/** Maximum bytes of records that are held; the same as the in-flight limit. */
const MAX_BYTES = 32 << 20;
/** Memory for a record's object and Buffer. */
const RECORD_OVERHEAD = 200;

/**
 * Records that wait for the header because it is not known yet what is predicted: blank lines and rows that the service
 * rejected. Malformed records are not part of the output, so they do not wait.
 */
export class HeldRecords {
  readonly #layout: Pick<Layout, 'merger'>;
  #records: HeldRecord[] = [];
  #bytes = 0;

  constructor(layout: Pick<Layout, 'merger'>) {
    this.#layout = layout;
  }

  /** Start of the first held record in the input, if any. */
  get firstPosition(): Pick<Position, 'offset' | 'row'> | undefined {
    return this.#records[0]?.start;
  }

  /**
   * Holds the output records of a batch without a scored row.
   *
   * @throws RowcastError `unknown_classes` if too many bytes are held
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
   * Returns the held records as output, split at gzip members.
   *
   * @param next start of the record after them
   * @param lastByte of the output so far
   */
  *release(
    appended: Appended,
    members: Members,
    next: Position,
    lastByte: number | undefined,
  ): Generator<{ bytes: Buffer; endsMember: boolean }> {
    const records = this.#records;
    this.#records = [];
    let pieces: Buffer[] = [];
    let last = lastByte;
    const merge = this.#layout.merger(appended);
    // Of a single row that was not scored.
    const errors = new Map([[0, { code: '', message: '' }]]);
    const predictions = { ...joinValues(appended.predictionType, [], 0), errors };
    for (const [index, { bytes, isBlank, start }] of records.entries()) {
      const batch = batchOfOne(bytes, isBlank ? RecordKind.blank : RecordKind.quoted);
      pieces.push(merge({ batch, faults: new Map(), predictions })(0, 1, last));
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
    'what to append is unknown: neither the report nor any response so far says it',
    {
      hint: 'If the predictions are probabilities, name the classes in output column order: --classes no,yes.',
    },
  );
}
