import { RowcastError } from '../../base/errors.ts';
import { counted, countOf } from '../../base/number-text.ts';
import { isBeyond, type RejectLimit } from '../../base/options/values/reject-limit.ts';
import type { Layout } from '../../formats/format.ts';
import { type Batch, countRows, startOf } from '../../formats/records/batch.ts';
import { type Fault, isNoRow } from '../../formats/records/faults.ts';

/** Malformed rows of a batch that are looked at for the cause. */
const MAX_SAMPLE = 100;

/** A file of the training data. */
export interface HistoryFile {
  /** For messages, as is `decodedBy`. */
  name: string;
  decodedBy?: readonly string[] | undefined;
  layout: Layout;
}

/**
 * Counts the malformed rows of training data, which are left out up to a limit. Headers and records without a value are
 * no rows.
 */
export class MalformedRows {
  readonly #limit: RejectLimit | undefined;
  readonly #byCode = new Map<string, number>();
  #rejected = 0;
  #headers = 0;
  #empty = 0;
  /** The last one, for messages, and the rows up to it. */
  #line = 0;
  #read = 0;
  #at: HistoryFile | undefined;
  /** The rows of the files before. */
  #before = 0;

  /** @param limit without it, the first malformed row is an error */
  constructor(limit: RejectLimit | undefined) {
    this.#limit = limit;
  }

  /**
   * The batches that follow are those of a file.
   *
   * @param wellFormed the number of all other rows of the files before
   */
  begin(file: HistoryFile, wellFormed: number): void {
    this.#at = file;
    this.#before = wellFormed + this.#rejected;
  }

  /**
   * Counts those of a batch.
   *
   * @throws RowcastError with the fault's code, or `too_many_rejects`
   */
  add(faults: ReadonlyMap<number, Fault>, batch: Batch): void {
    const rows = [...faults].filter(([, { code }]) => !isNoRow(code));
    const headers = [...faults.values()].filter(({ code }) => code === 'repeated_header').length;
    this.#headers += headers;
    this.#empty += faults.size - rows.length - headers;
    const limit = this.#limit;
    const [first] = rows;
    if (first === undefined) return;
    const { layout } = this.#file;
    if (limit === undefined) throw this.#refusal(rows, batch);
    for (const [index, { code }] of rows) {
      this.#rejected++;
      this.#byCode.set(code, (this.#byCode.get(code) ?? 0) + 1);
      const { line, row } = layout.positionOf(batch, index);
      this.#line = line;
      this.#read = this.#before + row;
      this.#check(limit, false);
    }
  }

  /**
   * @param wellFormed the number of all other rows
   * @throws RowcastError `too_many_rejects`
   */
  end(wellFormed: number): void {
    this.#read = wellFormed + this.#rejected;
    if (this.#limit !== undefined) this.#check(this.#limit, true);
  }

  notes(): string[] {
    const left = (rows: number, what: string, more = ''): string[] =>
      rows === 0 ? [] : [`Left out ${countOf(rows, what)}${more}.`];
    return [
      ...left(this.#headers, 'repeated header line'),
      ...left(this.#empty, 'record', ' without a value'),
      ...left(this.#rejected, 'malformed row', `: ${this.#codes()}`),
    ];
  }

  /** Says why most rows of a batch are malformed, or else why the first one is. */
  #refusal(faults: readonly (readonly [number, Fault])[], batch: Batch): RowcastError {
    const { name, layout } = this.#file;
    const sample = faults.slice(0, MAX_SAMPLE).map(([index, fault]) => {
      const { line, row } = layout.positionOf(batch, index);
      const [start, end] = [startOf(batch, index), startOf(batch, index + 1)];
      const record = batch.bytes.subarray(start, layout.contentEnd(batch.bytes, start, end));
      return { ...fault, line, row, record };
    });
    const [{ code, reason, hint, line, row } = first()] = sample;
    if (2 * faults.length > countRows(batch)) {
      const why = layout.whyMalformed(sample, this.#file);
      const { code, line } = why.example ?? first();
      return new RowcastError(code, why.cause, { location: { file: name, line }, hint: why.remedy });
    }
    const location = { file: name, line, row };
    return new RowcastError(code, reason, {
      location,
      hint: `${hint === undefined ? '' : `${sentence(hint)} `}Correct or remove the row, or leave out a few such rows with --max-rejects.`,
    });
  }

  #check(limit: RejectLimit, isEnd: boolean): void {
    if (!isBeyond(limit, { rejected: this.#rejected, read: this.#read }, isEnd)) return;
    const counts = `${counted(this.#rejected)} of ${countOf(this.#read, 'row')}`;
    throw new RowcastError('too_many_rejects', `${counts} are malformed: ${this.#codes()}`, {
      location: { file: this.#file.name, line: this.#line },
      hint: 'Correct or remove these rows, or allow more of them with --max-rejects.',
    });
  }

  get #file(): HistoryFile {
    return this.#at ?? first();
  }

  #codes(): string {
    return [...this.#byCode].map(([code, rows]) => `${rows} × ${code}`).join(', ');
  }
}

const first = (): never => {
  throw new Error('there is a malformed row in a file');
};

const sentence = (clause: string): string => `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
