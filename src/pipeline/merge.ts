import { isDeepStrictEqual } from 'node:util';
import type { LooseReport } from '../api/shapes.ts';
import { type Appended, appendedColumns } from '../csv/appended.ts';
import { type Batch, countRows, startOf } from '../csv/batch.ts';
import { CR, contentEnd, type Dialect, joinsLine } from '../csv/dialect.ts';
import { afterHeader, type Header } from '../csv/header.ts';
import type { Position } from '../csv/position.ts';
import { RecordKind } from '../csv/scan.ts';
import { copyBytes, wordsOf } from '../csv/words.ts';
import { RowcastError } from '../errors.ts';
import { shown } from '../shown.ts';
import { HeldRecords, unknownClasses } from './held-records.ts';
import type { Answered } from './in-flight.ts';
import { Members, type Part } from './members.ts';
import { type Reject, rejectsOf } from './rejects.ts';

/** A piece of the output, and what became of the rows that were read for it. */
export interface Merged {
  /** Output; none where it waits for the header. */
  readonly bytes: Buffer;
  /** The records that were consumed, as they came; none with the header and what waited for it. */
  readonly input: Buffer;
  /** Where the record after them begins. */
  readonly end: Position;
  readonly endsBatch: boolean;
  /** Whether a gzip member ends with these bytes. */
  readonly endsMember: boolean;
  /** Whether a run may resume after these bytes: they are whole records, and the header is out. */
  readonly isCommitPoint: boolean;
  readonly scored: number;
  readonly blank: number;
  readonly rejects: readonly Reject[];
}

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
  #members: Members | undefined;
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
  *merge(answered: Answered): Generator<Merged> {
    const { batch, answer } = answered;
    if (answer.classes.length > 0 && this.#appended === undefined) this.#setClasses(answer.classes);
    if (this.#appended === undefined || this.#members === undefined) {
      this.#held.add(answered);
      const rejects = rejectsOf(answered, this.#options.header.dialect);
      const { end, bytes: input } = batch;
      this.#end = end;
      yield { ...NOTHING, input, end, endsBatch: true, ...countsOf(batch, 0, batch.ends.length, rejects) };
      return;
    }
    yield* this.end();
    if (answer.classes.length > 0 && !isDeepStrictEqual(answer.classes, this.#appended.classes))
      throw new RowcastError('wrong_answer', 'the service answers with other classes than it began with', {
        consequence: 'stopped',
        hint: 'The report has changed since the run began: start again.',
      });
    yield* this.#parts(answered, this.#appended, this.#members);
  }

  /**
   * The header, unless it is out already, and the records that waited for it: an input may have no rows.
   *
   * @throws RowcastError `unknown_classes`
   */
  *end(): Generator<Merged> {
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

  *#parts(answered: Answered, appended: Appended, members: Members): Generator<Merged> {
    const { batch } = answered;
    const { dialect } = this.#options.header;
    const { faults } = answered;
    const rejects = rejectsOf(answered, dialect);
    const merge = recordMerger(answered, appended, dialect);
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
    this.#members = new Members(this.#appended.mostBytes);
  }
}

const EMPTY = Buffer.alloc(0);
/** A piece that holds nothing, and cannot be resumed after. */
const NOTHING = {
  bytes: EMPTY,
  input: EMPTY,
  endsBatch: false,
  endsMember: false,
  isCommitPoint: false,
  scored: 0,
  blank: 0,
  rejects: [],
} as const;

/** What became of the records `[from, to)` of a batch. */
function countsOf(
  batch: Batch,
  from: number,
  to: number,
  rejects: readonly Reject[],
): Pick<Merged, 'scored' | 'blank' | 'rejects'> {
  const rows = countRows(batch, from, to);
  return { scored: rows - rejects.length, blank: to - from - rows, rejects };
}

/** Classes that were given are the report's, in another order perhaps. */
function checkClasses(given: readonly string[], told: readonly string[] | undefined): void {
  const isSet = given.length > 0 && new Set(given).size === given.length;
  if (isSet && (told === undefined || isDeepStrictEqual(given.toSorted(), told.toSorted()))) return;
  throw new RowcastError('bad_classes', `the classes given are ${shown(given.join(', ')) || 'none'}`, {
    hint: told === undefined ? 'Give each of them once.' : `The report has: ${shown(told.join(', '))}.`,
  });
}

/**
 * Merges a batch's records from the first to the last, part by part, with what is appended to them. Each record's own
 * bytes stay as they came: the appended fields go between them and their line ending. Blank lines are copied, but for
 * those that `joinsLine` is about; malformed records are left out.
 *
 * @returns merges a part behind an output that ends with `lastByte`
 */
export function recordMerger(
  { batch, faults, answer }: Answered,
  appended: Appended,
  dialect: Dialect,
): (part: Pick<Part, 'from' | 'to'>, lastByte: number | undefined) => Buffer {
  const { bytes, ends, kinds } = batch;
  const from = wordsOf(bytes);
  let persona = 0;
  return (part, lastByte) => {
    /** What comes before it was copied, or left out. */
    let done = startOf(batch, part.from);
    const end = startOf(batch, part.to);
    const most = end - done + (part.to - part.from) * appended.mostBytes;
    const merged = wordsOf(Buffer.allocUnsafe(most));
    let at = 0;
    for (let index = part.from; index < part.to; index++) {
      const recordStart = startOf(batch, index);
      if (kinds[index] === RecordKind.blank) {
        const isFirst = recordStart === done;
        if (isFirst && joinsLine(at === 0 ? lastByte : merged.bytes[at - 1], bytes[recordStart]))
          merged.bytes[at++] = CR;
        continue;
      }
      const recordEnd = ends[index] ?? recordStart;
      if (faults.has(index)) {
        at = copyBytes(from, done, recordStart, merged, at);
        done = recordEnd;
        continue;
      }
      const content = contentEnd(bytes, recordStart, recordEnd, dialect);
      at = copyBytes(from, done, content, merged, at);
      at = answer.errors.has(persona)
        ? copyBytes(appended.empty, 0, appended.empty.bytes.length, merged, at)
        : appended.write(answer.probabilities, persona * answer.classes.length, merged, at);
      persona++;
      done = content;
    }
    at = copyBytes(from, done, end, merged, at);
    return merged.bytes.subarray(0, at);
  };
}

/** The header with the appended names: BOM, quoting and line ending stay as they came. */
export function mergeHeader(header: Header, appended: Appended): Buffer {
  return Buffer.concat([
    header.bytes.subarray(0, header.contentEnd),
    Buffer.from(appended.names),
    header.bytes.subarray(header.contentEnd),
  ]);
}
