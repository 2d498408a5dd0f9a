import { isDeepStrictEqual } from 'node:util';
import type { LooseReport } from '../api/shapes.ts';
import { type Appended, appendedColumns } from '../csv/appended.ts';
import { type Batch, startOf } from '../csv/batch.ts';
import { contentEnd, type Dialect } from '../csv/dialect.ts';
import type { Header } from '../csv/header.ts';
import { RecordKind } from '../csv/scan.ts';
import { copyBytes, wordsOf } from '../csv/words.ts';
import { RowcastError } from '../errors.ts';
import { shown } from '../shown.ts';
import type { Answered } from './in-flight.ts';
import { type Reject, rejectsOf } from './rejects.ts';

/** A part of the output, and what became of its rows. */
export interface Merged {
  readonly bytes: Buffer;
  /** The batch that it was, undefined for the header. */
  readonly batch: Batch | undefined;
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
 * The stage that joins answers to rows. It knows the classes: the definition's, else the report's, else those
 * of the first answer; the header goes out as soon as they are known.
 */
export class Merger {
  readonly #options: MergeOptions;
  #appended: Appended | undefined;
  #headerIsOut = false;
  /** Batches without a scored row that came before the classes were known. */
  #early: Answered[] = [];

  /** @throws RowcastError `duplicate_columns` when the output would have two columns of one name; `bad_classes` */
  constructor(options: MergeOptions) {
    this.#options = options;
    const classes = options.classes ?? options.report.classes;
    if (options.classes !== undefined) checkClasses(options.classes, options.report.classes);
    if (classes !== undefined) this.#appended = this.#append(classes);
  }

  /** Goes on where a former run has written the header, with its classes. */
  goOn(classes: readonly string[]): void {
    this.#appended = this.#append(classes);
    this.#headerIsOut = true;
  }

  /** The header's classes, once they are known: no other answer may be merged. */
  get classes(): readonly string[] | undefined {
    return this.#appended?.classes;
  }

  /** @throws RowcastError `wrong_answer` when the classes are not the header's, `unknown_classes` */
  *merge(answered: Answered): Generator<Merged> {
    const { classes } = answered.answer;
    if (classes.length > 0) this.#appended ??= this.#append(classes);
    if (this.#appended === undefined && this.#early.length < EARLY) {
      this.#early.push(answered);
      return;
    }
    yield* this.end();
    yield this.#merged(answered);
  }

  /**
   * The header, unless it is out already, and the batches that waited for it: an input may have no rows.
   *
   * @throws RowcastError `unknown_classes`
   */
  *end(): Generator<Merged> {
    if (this.#headerIsOut) return;
    this.#headerIsOut = true;
    const bytes = mergeHeader(this.#options.header, this.#appended ?? unknownClasses());
    yield { bytes, batch: undefined, scored: 0, blank: 0, rejects: [] };
    for (const answered of this.#early.splice(0)) yield this.#merged(answered);
  }

  #merged(answered: Answered): Merged {
    const { batch, answer } = answered;
    const { dialect } = this.#options.header;
    const appended = this.#appended ?? unknownClasses();
    if (answer.classes.length > 0 && !isDeepStrictEqual(answer.classes, appended.classes))
      throw new RowcastError('wrong_answer', 'the service answers with other classes than it began with', {
        consequence: 'stopped',
        hint: 'The report has changed since the run began: start again.',
      });
    const rejects = rejectsOf(answered, dialect);
    const blank = batch.kinds.filter(kind => kind === RecordKind.blank).length;
    const scored = batch.kinds.length - blank - rejects.length;
    return { bytes: mergeBatch(answered, appended, dialect), batch, scored, blank, rejects };
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

/** Classes that were given are the report's, in another order perhaps. */
function checkClasses(given: readonly string[], told: readonly string[] | undefined): void {
  const isSet = given.length > 0 && new Set(given).size === given.length;
  if (isSet && (told === undefined || isDeepStrictEqual(given.toSorted(), told.toSorted()))) return;
  throw new RowcastError('bad_classes', `the classes given are ${shown(given.join(', ')) || 'none'}`, {
    hint: told === undefined ? 'Give each of them once.' : `The report has: ${shown(told.join(', '))}.`,
  });
}

/** Batches that may wait for the classes: beyond that something else is wrong. */
const EARLY = 64;

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
export function mergeBatch(
  { batch, faults, answer }: Answered,
  appended: Appended,
  dialect: Dialect,
): Buffer {
  const { bytes, ends, kinds } = batch;
  const from = wordsOf(bytes);
  const merged = wordsOf(Buffer.allocUnsafe(bytes.length + kinds.length * appended.mostBytes));
  let at = 0;
  /** What comes before it was copied, or left out. */
  let done = 0;
  let persona = 0;
  for (let index = 0; index < ends.length; index++) {
    const end = ends[index] ?? done;
    if (kinds[index] === RecordKind.blank) continue;
    if (faults.has(index)) {
      at = copyBytes(from, done, startOf(batch, index), merged, at);
      done = end;
      continue;
    }
    const content = contentEnd(bytes, startOf(batch, index), end, dialect);
    at = copyBytes(from, done, content, merged, at);
    at = answer.errors.has(persona)
      ? copyBytes(appended.empty, 0, appended.empty.bytes.length, merged, at)
      : appended.write(answer.probabilities, persona * answer.classes.length, merged, at);
    persona++;
    done = content;
  }
  at = copyBytes(from, done, bytes.length, merged, at);
  return merged.bytes.subarray(0, at);
}

/** The header with the appended names: BOM, quoting and line ending stay as they came. */
export function mergeHeader(header: Header, appended: Appended): Buffer {
  return Buffer.concat([
    header.bytes.subarray(0, header.contentEnd),
    Buffer.from(appended.names),
    header.bytes.subarray(header.contentEnd),
  ]);
}
