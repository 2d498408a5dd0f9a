import { isDeepStrictEqual } from 'node:util';
import type { Answer } from '../api/answer.ts';
import type { LooseReport } from '../api/shapes.ts';
import { type Appended, appendedColumns } from '../csv/appended.ts';
import { startOf } from '../csv/batch.ts';
import { contentEnd, type Dialect } from '../csv/dialect.ts';
import type { Header } from '../csv/header.ts';
import { RecordKind } from '../csv/scan.ts';
import { RowcastError } from '../errors.ts';
import type { Encoded } from './encode.ts';
import type { Answered } from './in-flight.ts';
import { type Reject, rejectsOf } from './rejects.ts';

/** A batch's part of the output, and what became of its rows. */
export interface Merged {
  readonly bytes: Buffer;
  readonly scored: number;
  readonly blank: number;
  readonly rejects: readonly Reject[];
}

export interface MergeOptions {
  header: Header;
  report: LooseReport;
  /** The classes in the order of their columns, over what the report says. */
  classes?: readonly string[] | undefined;
  prefix: string;
  prediction: boolean;
}

/**
 * The stage that joins answers to rows. It knows the classes: the definition's, else the report's, else those
 * of the first answer; the header goes out as soon as they are known.
 */
export class Merger {
  readonly #options: MergeOptions;
  #appended: Appended | undefined;
  #headerIsOut = false;
  /** Batches without a scored row that came before the classes were known: blank lines, rejects. */
  #early: Answered[] = [];

  /** @throws RowcastError `duplicate_columns` when the output would have two columns of one name */
  constructor(options: MergeOptions) {
    this.#options = options;
    const classes = options.classes ?? options.report.classes;
    if (classes !== undefined) this.#appended = this.#append(classes);
  }

  /** The header's classes, once they are known: no other answer may be merged. */
  get classes(): readonly string[] | undefined {
    return this.#appended?.classes;
  }

  /** @throws RowcastError `wrong_answer` when the classes are not the header's */
  *merge(answered: Answered): Generator<Merged> {
    const { encoded, answer } = answered;
    const { dialect } = this.#options.header;
    if (answer.classes.length > 0) this.#appended ??= this.#append(answer.classes);
    const rejects = rejectsOf(answered, dialect);
    if (this.#appended === undefined) {
      this.#early.push(answered);
      if (rejects.length > 0) yield { bytes: Buffer.alloc(0), scored: 0, blank: 0, rejects };
      return;
    }
    yield* this.end();

    if (answer.classes.length > 0 && !isDeepStrictEqual(answer.classes, this.#appended.classes))
      throw new RowcastError('wrong_answer', 'the service answers with other classes than it began with', {
        consequence: 'stopped',
        hint: 'The report has changed since the run began: start again.',
      });
    const blank = countBlank(encoded);
    const scored = encoded.batch.kinds.length - blank - rejects.length;
    yield { bytes: mergeBatch(encoded, answer, this.#appended, dialect), scored, blank, rejects };
  }

  /**
   * The header, unless it is out already, and the batches that waited for it: an input may have no rows.
   *
   * @throws RowcastError `unknown_classes`
   */
  *end(): Generator<Merged> {
    if (this.#headerIsOut) return;
    this.#headerIsOut = true;
    const { header } = this.#options;
    const appended = this.#appended ?? unknownClasses();
    yield { bytes: mergeHeader(header, appended), scored: 0, blank: 0, rejects: [] };
    for (const { encoded, answer } of this.#early.splice(0)) {
      const bytes = mergeBatch(encoded, answer, appended, header.dialect);
      yield { bytes, scored: 0, blank: countBlank(encoded), rejects: [] }; // whose rejects were told
    }
  }

  #append(classes: readonly string[]): Appended {
    const { header, report, prefix, prediction } = this.#options;
    return appendedColumns(header, {
      classes,
      prefix,
      prediction: prediction ? (report.predicts ?? 'class') : undefined,
    });
  }
}

const countBlank = ({ batch }: Encoded): number =>
  batch.kinds.filter(kind => kind === RecordKind.blank).length;

function unknownClasses(): never {
  throw new RowcastError(
    'unknown_classes',
    'the classes are not known, and no row that was scored tells them',
    {
      hint: 'Name them in a definition: classes: [no, yes].',
    },
  );
}

/**
 * A batch's rows with what is appended to them. Each record's own bytes stay as they came: the appended fields
 * go between them and their line ending. Blank lines are copied; malformed records are left out.
 */
export function mergeBatch(encoded: Encoded, answer: Answer, appended: Appended, dialect: Dialect): Buffer {
  const { batch, faults } = encoded;
  const suffixes: (string | undefined)[] = [];
  let size = 0;
  let persona = 0;
  for (const [index, kind] of batch.kinds.entries()) {
    let suffix: string | undefined;
    if (kind === RecordKind.blank) suffix = '';
    else if (!faults.has(index)) {
      suffix = answer.errors.has(persona)
        ? appended.empty
        : appended.fields(answer.probabilities, persona * answer.classes.length);
      persona++;
    }
    suffixes.push(suffix);
    if (suffix !== undefined) size += Buffer.byteLength(suffix);
  }

  const { bytes, ends } = batch;
  const merged = Buffer.allocUnsafe(bytes.length + size);
  let at = 0;
  for (const [index, suffix] of suffixes.entries()) {
    if (suffix === undefined) continue;
    const start = startOf(batch, index);
    const end = ends[index] ?? start;
    const content = contentEnd(bytes, start, end, dialect);
    at += bytes.copy(merged, at, start, content);
    at += merged.write(suffix, at);
    at += bytes.copy(merged, at, content, end);
  }
  return merged.subarray(0, at);
}

/** The header with the appended names: BOM, quoting and line ending stay as they came. */
export function mergeHeader(header: Header, appended: Appended): Buffer {
  return Buffer.concat([
    header.bytes.subarray(0, header.contentEnd),
    Buffer.from(appended.names),
    header.bytes.subarray(header.contentEnd),
  ]);
}
