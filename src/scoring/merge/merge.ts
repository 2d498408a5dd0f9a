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
  /** The classes in the order of their columns, over what the report says. */
  classes?: readonly string[] | undefined;
  prefix: string;
  prediction: boolean;
}

/**
 * The stage that joins responses to rows. It knows the classes: the definition's, else the report's, else those of
 * the first response; the header goes out as soon as they are known. Until then rejects are passed on, and only the
 * records that need the header's columns are held.
 */
export class Merger {
  readonly #options: MergeOptions;
  #appended: Appended | undefined;
  #members: GzipMembers | undefined;
  #headerIsOut = false;
  readonly #held: HeldRecords;
  /** Where the records that were passed on end. */
  #end: Position;
  /** The last byte of the output so far. */
  #lastByte: number | undefined;

  /** @throws RowcastError `duplicate_columns` when the output would have two columns of one name; `bad_classes` */
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
   * Resumes a run that has written the header.
   *
   * @param classes those of the header
   * @param lastByte of the output so far
   */
  resume(classes: readonly string[], lastByte: number | undefined): void {
    this.#setClasses(classes);
    this.#headerIsOut = true;
    this.#lastByte = lastByte;
  }

  /** The header's classes, once they are known: no response with others may be merged. */
  get classes(): readonly string[] | undefined {
    return this.#appended?.classes;
  }

  /**
   * A batch in parts, each up to a point at which a gzip member ends or the run may resume.
   *
   * @throws RowcastError `wrong_answer` when the classes are not the header's, `unknown_classes`
   */
  *merge(scored: ScoredBatch): Generator<MergedPart> {
    const { batch, predictions: answer } = scored;
    if (answer.classes.length > 0 && this.#appended === undefined) this.#setClasses(answer.classes);
    if (this.#appended === undefined || this.#members === undefined) {
      this.#held.add(scored);
      const rejects = rejectsOf(scored, this.#options.header.dialect);
      const { end, bytes: input } = batch;
      this.#end = end;
      yield { ...NOTHING, input, end, endsBatch: true, ...countsOf(batch, 0, batch.ends.length, rejects) };
      return;
    }
    yield* this.end();
    if (answer.classes.length > 0 && !isDeepStrictEqual(answer.classes, this.#appended.classes))
      throw new RowcastError('wrong_answer', 'the service answers with other classes than it began with', {
        consequence: 'stopped',
        hint: 'The report has changed since the run began. Start over with --restart.',
      });
    yield* this.#parts(scored, this.#appended, this.#members);
  }

  /**
   * The header, unless it is out already, and the records that waited for it: an input may have no rows.
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
      // A resumed run takes the last byte of its input for that of its output: see `joinsLine`.
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
