import { isDeepStrictEqual } from 'node:util';
import type { LooseReport } from '../../contract/schemas.ts';
import { RowcastError } from '../../errors.ts';
import { type Appended, appendedColumns } from '../../formats/csv/appended-columns.ts';
import { startOf } from '../../formats/csv/batch.ts';
import { afterHeader, type Header } from '../../formats/csv/header.ts';
import type { Position } from '../../formats/csv/position.ts';
import type { MergedPart } from '../../runs/merged-part.ts';
import type { ScoredBatch } from '../in-flight.ts';
import { checkClasses } from './check-classes.ts';
import { GzipMembers } from './gzip-members.ts';
import { HeldRecords, unknownClasses } from './held-records.ts';
import { countsOf, NOTHING } from './part-counts.ts';
import { mergeHeader, recordMerger } from './record-merger.ts';
import { rejectsOf } from './rejects.ts';

export interface MergeOptions {
  header: Header;
  report: Pick<LooseReport, 'predicts' | 'classes'>;
  /** Classes in output column order; overrides the report. */
  classes?: readonly string[] | undefined;
  prefix: string;
  prediction: boolean;
}

/**
 * The stage that joins predictions to rows. The classes come from the definition, else the report, else the first
 * response. The header is written as soon as they are known; until then rejects are passed on, and only the records that
 * belong after the header are held.
 */
export class Merger {
  readonly #options: MergeOptions;
  #appended: Appended | undefined;
  #members: GzipMembers | undefined;
  #headerIsOut = false;
  readonly #held: HeldRecords;
  /** End of the records that were passed on. */
  #end: Position;
  /** Last byte of the output so far. */
  #lastByte: number | undefined;

  /** @throws RowcastError `duplicate_columns` if two columns of the output would have the same name; `bad_classes` */
  constructor(options: MergeOptions) {
    this.#options = options;
    this.#end = afterHeader(options.header);
    const { report, header } = options;
    this.#held = new HeldRecords(header.dialect);
    const classes = options.classes ?? report.classes;
    if (options.classes !== undefined) checkClasses(options.classes, report.classes);
    if (classes !== undefined) this.#setClasses(classes);
  }

  /**
   * Resumes a run that already wrote the header.
   *
   * @param classes the header's classes
   * @param lastByte of the output so far
   */
  resume(classes: readonly string[], lastByte: number | undefined): void {
    this.#setClasses(classes);
    this.#headerIsOut = true;
    this.#lastByte = lastByte;
  }

  /** The header's classes, once known. Responses with different classes are rejected. */
  get classes(): readonly string[] | undefined {
    return this.#appended?.classes;
  }

  /**
   * Merges a batch in parts, each up to a point where a gzip member ends or the run may resume.
   *
   * @throws RowcastError `wrong_answer` if the classes are not the header's, `unknown_classes`
   */
  *merge(scored: ScoredBatch): Generator<MergedPart> {
    const { batch, predictions } = scored;
    if (predictions.classes.length > 0 && this.#appended === undefined) this.#setClasses(predictions.classes);
    if (this.#appended === undefined || this.#members === undefined) {
      this.#held.add(scored);
      const rejects = rejectsOf(scored, this.#options.header.dialect);
      const { end, bytes: input } = batch;
      this.#end = end;
      yield { ...NOTHING, input, end, endsBatch: true, ...countsOf(batch, 0, batch.ends.length, rejects) };
      return;
    }
    yield* this.end();
    if (predictions.classes.length > 0 && !isDeepStrictEqual(predictions.classes, this.#appended.classes))
      throw new RowcastError(
        'wrong_answer',
        'the classes in the response differ from those of earlier responses',
        {
          severity: 'stopped',
          hint: 'The report has changed since the run began. Start over with --restart.',
        },
      );
    yield* this.#parts(scored, this.#appended, this.#members);
  }

  /**
   * Writes the header and the records that waited for it, unless that was done; an input may have no rows.
   *
   * @throws RowcastError `unknown_classes`
   */
  *end(): Generator<MergedPart> {
    if (this.#headerIsOut) return;
    if (this.#appended === undefined || this.#members === undefined) throw unknownClasses();
    this.#headerIsOut = true;
    const { header } = this.#options;
    const bytes = mergeHeader(header, this.#appended);
    const first = this.#held.firstPosition ?? this.#end;
    const endsMember = !this.#members.isSame({ offset: 0, row: 1 }, first);
    this.#lastByte = bytes.at(-1);
    yield { ...NOTHING, bytes, end: this.#end, endsMember };
    for (const waited of this.#held.release(this.#appended, this.#members, this.#end, this.#lastByte)) {
      this.#lastByte = waited.bytes.at(-1);
      yield { ...NOTHING, ...waited, end: this.#end };
    }
  }

  *#parts(scored: ScoredBatch, appended: Appended, members: GzipMembers): Generator<MergedPart> {
    const { batch } = scored;
    const { dialect } = this.#options.header;
    const { faults } = scored;
    const rejects = rejectsOf(scored, dialect);
    const merge = recordMerger(scored, appended, dialect);
    let reject = 0;
    for (const part of members.partsOf(batch, dialect)) {
      const first = reject;
      while (reject < rejects.length && (rejects[reject]?.row ?? 0) < part.end.row) reject++;
      const { from, to, end, endsMember } = part;
      const bytes = merge(part, this.#lastByte);
      this.#lastByte = bytes.at(-1) ?? this.#lastByte;
      // A resumed run assumes that its output ends with the last byte of its input: see `joinsLine`.
      const isCommitPoint = part.isCommitPoint && !(dialect.loneCr && faults.has(to - 1));
      yield {
        bytes,
        input: batch.bytes.subarray(startOf(batch, from), startOf(batch, to)),
        end,
        endsBatch: to === batch.ends.length,
        endsMember,
        isCommitPoint,
        ...countsOf(batch, from, to, rejects.slice(first, reject)),
      };
    }
  }

  #setClasses(classes: readonly string[]): void {
    const { header, report, prefix, prediction } = this.#options;
    this.#appended = appendedColumns(header, {
      classes,
      prefix,
      prediction: prediction ? (report.predicts ?? 'class') : undefined,
    });
    this.#members = new GzipMembers(this.#appended.mostBytes);
  }
}
