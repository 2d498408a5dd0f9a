import { type Location, RowcastError } from '../../base/errors.ts';
import type { Layout } from '../../formats/format.ts';
import { type Batch, countRows, RecordKind } from '../../formats/records/batch.ts';
import { RequestAttempts } from '../failures/attempts.ts';
import { CallError, type RowFault } from '../failures/call-error.ts';
import type { BatchScorer, Failed, Feedback, Outcome, Scored, ScoredBatch, TraceBatch } from '../scorer.ts';
import { checkedOutcome } from './check-values.ts';
import { checkFirstRows, firstRejects, refuseWrongColumn } from './first-rows.ts';
import { countPersonas, joinParts, rejectedPersona } from './join-predictions.ts';
import { prober } from './recovery-probe.ts';

interface ScoreBatchOptions {
  scorer: BatchScorer;
  feedback: Pick<Feedback, 'predictionType'>;
  /** Name of the input, for messages. */
  file: string;
  layout: Pick<Layout, 'slice'>;
  /** Whether the run being resumed has scored any row. */
  hasScored: boolean;
  /** Cancels attempts and prevents further ones. */
  signal: AbortSignal;
  trace?: TraceBatch | undefined;
}

/**
 * Scores batches and handles failing ones: they are tried again, and where the rows may be at fault, they are halved
 * until the failing rows are isolated. These get an error, the others their predictions. One bad row in a batch of n
 * costs at most 2·log2(n) + 1 extra requests. `scoring/failures/decide.ts` decides what to do about a failure.
 */
export class ScoreBatch {
  readonly #options: ScoreBatchOptions;
  readonly #prober: ReturnType<typeof prober>;
  readonly #addFirstReject = firstRejects();
  #hasScored: boolean;
  /**
   * The first batch that failed before any row was scored. Others wait for it: every batch may have the same problem.
   */
  #firstFailed: Promise<Scored> | undefined;
  #firstCheck: Promise<void> | undefined;

  constructor(options: ScoreBatchOptions) {
    this.#options = options;
    this.#hasScored = options.hasScored;
    this.#prober = prober(options);
  }

  /** @param part one of the scorer's parts of a batch */
  score(part: Batch): Promise<Scored> {
    const { trace } = this.#options;
    if (trace === undefined) return this.#score(part);
    return trace({ row: part.start.row, rows: countRows(part) }, () => this.#score(part));
  }

  /**
   * To be called just before predictions are used, because they cannot be replaced later. Rows whose response came on
   * a connection that mixed up responses are scored again.
   */
  async confirm(scored: ScoredBatch): Promise<ScoredBatch> {
    const { scorer } = this.#options;
    const { batch } = scored;
    let confirmed = scored;
    while (!scorer.confirm(confirmed.predictions, batch.start.row)) {
      const parts: ScoredBatch[] = [];
      for (const part of scorer.parts(batch)) parts.push({ ...(await this.score(part)), batch: part });
      confirmed = { ...joinParts(parts), batch };
    }
    return confirmed;
  }

  async #score(batch: Batch): Promise<Scored> {
    const outcome = await this.#attempt(batch);
    if ('predictions' in outcome) {
      if (batch.start.row === FIRST_ROW && !this.#options.hasScored)
        refuseWrongColumn(outcome, countPersonas(batch, outcome), this.#locationOf(batch));
      return outcome;
    }
    if (this.#hasScored) return this.#isolate(batch, outcome);
    if (this.#firstFailed === undefined) {
      this.#firstFailed = this.#isolateFirst(batch, outcome);
      return this.#firstFailed;
    }
    // If the first one stops the run, all fail with its error.
    await this.#firstFailed;
    return this.#isolate(batch, outcome);
  }

  /**
   * Tries a part until it is scored, or until its rows are to be isolated.
   *
   * @throws CallError if the failure stops the run
   */
  async #attempt(batch: Batch, isPart = false): Promise<Outcome> {
    const { scorer, feedback, signal } = this.#options;
    const { retryPolicy } = scorer;
    const attempts = retryPolicy && new RequestAttempts(retryPolicy);
    const probes = this.#prober.begin(batch);
    try {
      for (;;) {
        signal.throwIfAborted();
        const request = { batch, predictionType: feedback.predictionType(), allowAllInvalid: isPart };
        const outcome = checkedOutcome(await scorer.tryPart(request, signal), request);
        const personas = countPersonas(batch, outcome);
        if ('predictions' in outcome) {
          if (personas > (outcome.unsent ?? 0)) attempts?.succeeded();
          if (outcome.predictions.errors.size < personas) this.#noteScored(batch);
          return outcome;
        }
        const { failure } = outcome;
        if (attempts === undefined || signal.aborted) throw CallError.from(failure);
        const mayBeAllInvalid = personas === 1 && this.#hasScored && !isPart;
        const decision = attempts.failed(failure, { canSplit: personas > 1, mayBeAllInvalid, isPart });
        switch (decision.action) {
          case 'stop':
            throw attempts.ended(CallError.from(failure), decision);
          case 'retry, allow all invalid':
            return await this.#attempt(batch, true);
          case 'split':
          case 'reject':
            return outcome;
          case 'probe':
            probes.send(attempts.count, decision.probes, isPart);
            break;
          case 'retry': // after the wait
        }
        await attempts.wait(failure, decision, signal, isPart);
        if (!this.#hasScored && retryPolicy?.table[failure.kind].stopsIfFirstAlike)
          await this.#checkFirstRows(batch);
      }
    } catch (error) {
      throw error instanceof RowcastError ? error.addLocation(this.#locationOf(batch)) : error;
    } finally {
      probes.end();
    }
  }

  /** All batches that fail before any row is scored wait for one check, so that no other request disturbs it. */
  #checkFirstRows(batch: Batch): Promise<void> {
    this.#firstCheck ??= checkFirstRows(batch, this.#options).finally(() => {
      this.#firstCheck = undefined;
    });
    return this.#firstCheck;
  }

  /** Tries both halves before splitting either: if rows of one are scored, the rows of the other are at fault. */
  async #isolate(batch: Batch, failed: Failed): Promise<Scored> {
    if (countPersonas(batch, failed) === 1) return this.#rejected(batch, failed);
    const { layout } = this.#options;
    const slices = cutOutRows(batch, failed, layout);
    if (slices !== undefined) return this.#withoutRows(slices, failed);
    const middle = batch.ends.length >> 1;
    return this.#scoreAll([layout.slice(batch, 0, middle), layout.slice(batch, middle, batch.ends.length)]);
  }

  /**
   * Rejects the rows that the service has named, and scores the others, which come first: they may be the first scored
   * ones.
   */
  async #withoutRows(slices: readonly Slice[], failed: Failed): Promise<Scored> {
    const scored = new Map<Slice, Scored>();
    for (const slice of slices)
      if (slice.fault === undefined) scored.set(slice, await this.#scoreAll([slice.batch]));
    return joinParts(
      slices.map(slice => ({
        ...(scored.get(slice) ?? this.#rejectedFor(slice, failed)),
        batch: slice.batch,
      })),
    );
  }

  /** Tries all parts of slices of a batch before isolating rows of any of them. */
  async #scoreAll(slices: readonly Batch[]): Promise<Scored> {
    const tried: { part: Batch; outcome: Outcome }[] = [];
    for (const slice of slices)
      for (const part of this.#options.scorer.parts(slice))
        tried.push({ part, outcome: await this.#attempt(part, true) });
    const parts: ScoredBatch[] = [];
    for (const { part, outcome } of tried) {
      const scored = 'predictions' in outcome ? outcome : await this.#isolate(part, outcome);
      parts.push({ ...scored, batch: part });
    }
    return joinParts(parts);
  }

  #rejectedFor({ batch, fault }: Slice, { failure }: Failed): Scored {
    const message = fault?.message ?? failure.message;
    return this.#rejected(batch, { faults: new Map(), failure: { ...failure, message } });
  }

  #rejected(batch: Batch, failed: Failed): Scored {
    if (!this.#hasScored) this.#addFirstReject(this.#errorOf(batch, failed));
    return rejectedPersona(failed);
  }

  /** If the service rejects every row of the first batch, the rows are not at fault: the failure stops the run. */
  async #isolateFirst(batch: Batch, failed: Failed): Promise<Scored> {
    if (mayBeColumns(failed, countPersonas(batch, failed), this.#options.scorer))
      await this.#checkFirstRows(batch);
    const scored = await this.#isolate(batch, failed);
    if (!this.#hasScored && countPersonas(batch, failed) > 1) throw this.#errorOf(batch, failed);
    return scored;
  }

  #noteScored(batch: Batch): void {
    this.#hasScored = true;
    this.#prober.scored(batch);
  }

  #errorOf(batch: Batch, { failure }: Failed): CallError {
    return CallError.from(failure).addLocation(this.#locationOf(batch));
  }

  #locationOf({ start: { line, row } }: Batch): Location {
    return { file: this.#options.file, line, row };
  }
}

const FIRST_ROW = 1;

/** Whether the columns may be at fault, which costs fewer requests to find out than to isolate each row. */
const mayBeColumns = ({ failure }: Failed, personas: number, { retryPolicy }: BatchScorer): boolean =>
  personas > 1 && failure.rows === undefined && retryPolicy?.table[failure.kind].stopsIfFirstAlike === true;

/** A slice of a batch: rows of which none is known to be at fault, or a single one that is. */
interface Slice {
  batch: Batch;
  fault?: RowFault;
}

/**
 * Cuts a batch at the rows that the service says are at fault.
 *
 * @returns the slices in row order; undefined if the service names no row, or one that it did not get
 */
function cutOutRows(
  batch: Batch,
  { faults, failure: { rows = [] } }: Failed,
  layout: Pick<Layout, 'slice'>,
): Slice[] | undefined {
  const records = [...batch.kinds.keys()].filter(
    index => batch.kinds[index] !== RecordKind.blank && !faults.has(index),
  );
  const named = new Map(rows.map(fault => [records[fault.row], fault]));
  if (rows.length === 0 || named.has(undefined)) return undefined;
  const slices: Slice[] = [];
  const indexes = [...named.keys()] as number[]; // none is undefined
  let from = 0;
  for (const index of [...indexes, batch.ends.length].sort((a, b) => a - b)) {
    if (index > from) slices.push({ batch: layout.slice(batch, from, index) });
    const fault = named.get(index);
    if (fault !== undefined) slices.push({ batch: layout.slice(batch, index, index + 1), fault });
    from = index + 1;
  }
  return slices;
}
