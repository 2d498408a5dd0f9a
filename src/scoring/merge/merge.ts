import type { PredictionType } from '../../base/contract/predictions.ts';
import { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { type Appended, maxMergedBytes } from '../../formats/appended.ts';
import type { Layout, MergeBatch } from '../../formats/format.ts';
import { countRows, RecordKind, startOf } from '../../formats/records/batch.ts';
import { isFaultCode } from '../../formats/records/faults.ts';
import type { Position } from '../../formats/records/position.ts';
import type { Reject } from '../../formats/records/reject.ts';
import { checkSameType, joinValues } from '../batch/join-predictions.ts';
import { predictionTypeOf } from '../predictions.ts';
import type { ScoredBatch } from '../scorer.ts';
import { appendedFor, checkAnnounced, type MergeOptions } from './appended-for.ts';
import { HeldRecords, unknownClasses } from './held-records.ts';
import { Members, type Piece } from './members.ts';
import { countsOf, type MergedPiece, NOTHING } from './merged-piece.ts';
import { OutputBuffers } from './output-buffers.ts';
import { type PieceTally, type PieceTallyOptions, pieceTally } from './piece-tally.ts';

/**
 * The stage that joins predictions to rows. What is predicted is known from the definition, else the report, else the
 * first response. The header is written as soon as they are known; until then rejects are passed on, and only the
 * records that belong after the header are held.
 */
export class Merger {
  readonly #options: MergeOptions & MergedCopies;
  #appended: Appended | undefined;
  #members: Members | undefined;
  #headerIsOut: boolean;
  readonly #held: HeldRecords;
  #mergeBatch: MergeBatch | undefined;
  /** Merges batches with copied rows. */
  #mergeCopied: MergeBatch | undefined;
  #copied: ScoredBatch['copied'];
  readonly #outputs = new OutputBuffers(bytes => Buffer.allocUnsafeSlow(bytes));
  readonly #tally: PieceTally | undefined;
  /** End of the records that were passed on. */
  #end: Position;
  /** Last byte of the output so far. */
  #lastByte: number | undefined;

  /** @throws RowcastError as `appendedFor` */
  constructor(options: MergeOptions & PieceTallyOptions & MergedCopies) {
    const { layout, resumed } = options;
    this.#tally = pieceTally(options);
    this.#options = options;
    this.#end = layout.start;
    this.#held = new HeldRecords(layout);
    this.#headerIsOut = resumed !== undefined;
    this.#lastByte = resumed?.lastByte;
    this.#setAppended(appendedFor(options));
  }

  /** What the header's columns stand for, once known. Responses with other predictions are rejected. */
  get predictionType(): PredictionType | undefined {
    return this.#appended?.predictionType;
  }

  /**
   * Merges a batch in pieces, each up to a point where a gzip member ends or the run may resume.
   *
   * @throws RowcastError `wrong_answer` if the predictions are not those of the header, `unknown_classes`
   */
  *merge(scored: ScoredBatch): Generator<MergedPiece> {
    const { batch, predictions } = scored;
    const predictionType = predictionTypeOf(predictions);
    if (predictionType !== undefined)
      if (this.#appended === undefined) this.#setAppended(appendedFor(this.#options, predictionType));
      else this.#checkType(predictionType, this.#appended.predictionType);
    if (this.#appended === undefined || this.#members === undefined) {
      this.#held.add(scored);
      const rejects = rejectsOf(scored, this.#options.layout);
      const { end, bytes: input } = batch;
      this.#end = end;
      yield {
        ...this.#nothing,
        input,
        end,
        endsBatch: true,
        ...countsOf(batch, 0, batch.ends.length, rejects),
        tally: this.#tally?.(scored, 0, batch.ends.length),
      };
      return;
    }
    yield* this.end();
    yield* this.#pieces(scored, this.#appended, this.#members);
  }

  /**
   * Writes the header and the records that waited for it, unless that was done; an input may have no rows.
   *
   * @throws RowcastError `unknown_classes`
   */
  *end(): Generator<MergedPiece> {
    if (this.#headerIsOut) return;
    if (this.#appended === undefined || this.#members === undefined) throw unknownClasses();
    this.#headerIsOut = true;
    const bytes = this.#options.layout.outputPreamble(this.#appended);
    const first = this.#held.firstPosition ?? this.#end;
    const endsMember = !this.#members.isSame({ offset: 0, row: 1 }, first);
    this.#lastByte = bytes.at(-1);
    yield { ...this.#nothing, bytes, end: this.#end, endsMember };
    for (const waited of this.#held.release(this.#appended, this.#members, this.#end, this.#lastByte)) {
      this.#lastByte = waited.bytes.at(-1);
      yield { ...this.#nothing, ...waited, end: this.#end };
    }
  }

  *#pieces(scored: ScoredBatch, appended: Appended, members: Members): Generator<MergedPiece> {
    const { batch } = scored;
    const { layout } = this.#options;
    const { faults } = scored;
    const rejects = rejectsOf(scored, layout);
    const merge = mergedBefore(scored) ?? this.#merger(scored, appended);
    const tallies = scored.tallies?.values();
    let [reject, row] = [0, 0];
    for (const piece of members.piecesOf(batch, layout)) {
      const [first, firstRow] = [reject, row];
      while (reject < rejects.length && (rejects[reject]?.row ?? 0) < piece.end.row) reject++;
      const { from, to, end, endsMember } = piece;
      if (scored.copied !== undefined) row += wellFormed(scored, from, to);
      const bytes = merge(piece, this.#lastByte);
      this.#lastByte = bytes.at(-1) ?? this.#lastByte;
      // A resumed run assumes that its output ends with the last byte of its input: see `joinsLine`.
      const isCommitPoint = piece.isCommitPoint && !(layout.mayJoinLines && faults.has(to - 1));
      yield {
        bytes,
        input: batch.bytes.subarray(startOf(batch, from), startOf(batch, to)),
        end,
        endsBatch: to === batch.ends.length,
        endsMember,
        isCommitPoint,
        predictionType: appended.predictionType,
        ...countsOf(batch, from, to, rejects.slice(first, reject)),
        ...scored.copied?.count(firstRow, row, scored.predictions.errors),
        tally: tallies === undefined ? this.#tally?.(scored, from, to) : tallies.next().value,
      };
    }
  }

  #checkType(received: PredictionType, expected: PredictionType): void {
    // Without a header, no response has said anything yet: options or report did.
    if (!this.#headerIsOut) checkAnnounced(this.#options, received, expected);
    checkSameType(received, expected);
  }

  /** Merges a batch into memory that `written` gives back. */
  #merger(scored: ScoredBatch, appended: Appended): MergePiece {
    const { batch } = scored;
    const merge = this.#mergerFor(scored, appended)(ofType(scored, appended));
    return ({ from, to, end }, lastByte) => {
      const size = maxMergedBytes(startOf(batch, to) - startOf(batch, from), to - from, appended);
      return merge(from, to, lastByte, this.#outputs.take(size, end.offset));
    };
  }

  /** Created when it is first used: a local scorer merges by itself. */
  #mergerFor({ copied }: ScoredBatch, appended: Appended): MergeBatch {
    const { layout, withCopies } = this.#options;
    this.#copied = copied;
    if (copied !== undefined && copied.known > 0 && withCopies !== undefined) {
      this.#mergeCopied ??= layout.merger(withCopies(appended, () => this.#copied));
      return this.#mergeCopied;
    }
    this.#mergeBatch ??= layout.merger(appended, BatchMemory.create());
    return this.#mergeBatch;
  }

  /** The output of the records before this offset was written, so its memory can be reused. */
  written(offset: number): void {
    this.#outputs.release(offset);
  }

  /** An empty piece. */
  get #nothing() {
    return { ...NOTHING, predictionType: this.predictionType };
  }

  #setAppended(appended: Appended | undefined): void {
    this.#appended = appended;
    if (appended !== undefined)
      this.#members = new Members(appended.maxBytes, this.#options.onGrid, this.#options.layout.groups);
  }
}

/** If no row of a batch was scored, its predictions may be of any kind: it gets the output's kind, without values. */
function ofType(scored: ScoredBatch, { predictionType }: Appended): ScoredBatch {
  const { errors, kind } = scored.predictions;
  if (kind === predictionType.kind) return scored;
  return { ...scored, predictions: { ...joinValues(predictionType, [], 0), errors } };
}

/** How rows whose predictions were known are merged. */
export interface MergedCopies {
  readonly withCopies?: ((appended: Appended, copied: () => ScoredBatch['copied']) => Appended) | undefined;
}

/** The number of well-formed rows among the records `[from, to)`. */
function wellFormed({ batch, faults }: ScoredBatch, from: number, to: number): number {
  let rows = countRows(batch, from, to);
  for (const index of faults.keys()) if (index >= from && index < to) rows--;
  return rows;
}

/** Merges the records of a piece, behind an output that ends with `lastByte`. */
type MergePiece = (piece: Piece, lastByte: number | undefined) => Buffer;

/** Returns the pieces of the output that the scorer has merged, one after the other. */
function mergedBefore({ merged }: ScoredBatch): MergePiece | undefined {
  if (merged === undefined) return undefined;
  const { bytes, ends } = merged;
  let piece = 0;
  let start = 0;
  return () => {
    const end = ends[piece++] ?? bytes.length;
    const own = bytes.subarray(start, end);
    start = end;
    return own;
  };
}

/**
 * The rows of a batch that could not be scored, in input order: malformed, or rejected by the service. In a file that
 * is not text, the line of a row is its number.
 */
export function rejectsOf(
  { batch, faults, predictions }: ScoredBatch,
  layout: Pick<Layout, 'contentEnd' | 'countLines' | 'rows'>,
): Reject[] {
  if (faults.size === 0 && predictions.errors.size === 0) return [];
  const rejects: Reject[] = [];
  let persona = 0;
  // Lines are counted from one reject to the next, so that a batch of rejects only takes linear time.
  let { row: nextRow, line } = batch.start;
  let counted = 0;
  for (const [index, kind] of batch.kinds.entries()) {
    if (kind === RecordKind.blank) continue;
    const row = nextRow++;
    const fault = faults.get(index);
    const error = fault === undefined ? predictions.errors.get(persona++) : undefined;
    if (fault === undefined && error === undefined) continue;
    const start = startOf(batch, index);
    if (layout.rows === undefined) line += layout.countLines(batch.bytes, counted, start);
    else line = row;
    counted = start;
    const end = layout.contentEnd(batch.bytes, start, batch.ends[index] ?? start);
    const record = Buffer.from(batch.bytes.subarray(start, end));
    if (fault !== undefined) rejects.push({ row, line, ...fault, record });
    else if (error !== undefined)
      rejects.push({ row, line, code: serviceCode(error.code), reason: error.message, record });
  }
  return rejects;
}

/**
 * A service's reject code. The codes of malformed records mean that a row was not sent, so a service's get a prefix.
 */
const serviceCode = (code: string): string => (isFaultCode(code) ? `service_${code}` : code);
