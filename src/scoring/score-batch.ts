import type { Client } from '../client/client.ts';
import { CallError } from '../client/failures.ts';
import type { ReceivedPredictions } from '../client/response/parse-predictions.ts';
import { MAX_ATTEMPTS } from '../client/retry/retry.ts';
import { RowcastError } from '../errors.ts';
import { sliceBatch } from '../formats/csv/batch.ts';
import type { Dialect } from '../formats/csv/dialect.ts';
import type { BatchLimits } from './batch-size.ts';
import type { Encode, Encoded } from './encode.ts';
import { joinPredictions, noPredictions, rejectedPersona } from './join-predictions.ts';
import { withProbes } from './probe.ts';

export interface ScoreBatchOptions {
  client: Client;
  /** The report's id. */
  report: string;
  /** The header's classes, once they are known. */
  classes: () => readonly string[] | undefined;
  /** The input's name, for messages. */
  file: string;
  dialect: Dialect;
  /** Encodes a part of a batch. */
  toBody: Encode;
  /** Learns from calls how large batches may be. */
  limits: Pick<BatchLimits, 'rejected' | 'accepted'>;
  /** Whether a row was scored by a run that this one goes on with. */
  hasScored: boolean;
  /** Aborted when nobody waits for the answers any more: calls end, and no further one begins. */
  signal: AbortSignal;
}

/**
 * The call of a batch, and what comes of its failures: a batch that is refused is halved until the refused rows
 * stand alone; these have an error, the others their probabilities. One bad row in a batch of n costs at most
 * 2·log2(n) + 1 calls more.
 */
export function batchScorer(options: ScoreBatchOptions): (encoded: Encoded) => Promise<ReceivedPredictions> {
  const { client, report, classes, file, dialect, toBody, limits, signal } = options;
  let { hasScored } = options;
  /** The batch that failed first, when no row had been scored: what is wrong may be wrong with every batch. */
  let trial: Promise<ReceivedPredictions> | undefined;
  const firstRejects = new FirstRejects();

  const witness = withProbes({
    dialect,
    toBody,
    send: ({ body, personas }, ended) =>
      client.probe(body, { personas, classes: classes(), report }, AbortSignal.any([ended, signal])),
  });

  /** @returns the failure, where its rows may be at fault */
  const attempt = async (encoded: Encoded, isRest = false): Promise<ReceivedPredictions | CallError> => {
    const { batch, body, personas } = encoded;
    signal.throwIfAborted();
    // Nothing but blank lines or malformed records: there is nothing to ask.
    if (personas === 0) return noPredictions;
    const location = { file, line: batch.start.line, row: batch.start.row };
    try {
      const outcome = await witness(encoded, onRetry =>
        client.tryBatch(body, { personas, classes: classes(), isRest, report }, signal, onRetry),
      );
      if (outcome instanceof CallError) {
        if (outcome.status === 413) limits.rejected(encoded);
        return outcome.addLocation(location);
      }
      if (outcome.errors.size < personas) hasScored = true;
      limits.accepted(encoded);
      return outcome;
    } catch (error) {
      throw error instanceof RowcastError ? error.addLocation(location) : error;
    }
  };

  /** Both halves are tried before either is taken apart: where rows of one are scored, the rows of the other are at fault. */
  const isolate = async ({ batch, personas }: Encoded, failure: CallError): Promise<ReceivedPredictions> => {
    if (personas === 1) {
      if (!hasScored) firstRejects.add(failure);
      return rejectedPersona(failure);
    }
    const middle = batch.ends.length >> 1;
    const halves = [
      sliceBatch(batch, 0, middle, dialect),
      sliceBatch(batch, middle, batch.ends.length, dialect),
    ];
    const tried: { part: Encoded; outcome: ReceivedPredictions | CallError }[] = [];
    for (const half of halves)
      for (const part of toBody(half)) tried.push({ part, outcome: await attempt(part, true) });
    const parts: { personas: number; answer: ReceivedPredictions }[] = [];
    for (const { part, outcome } of tried) {
      const answer = outcome instanceof CallError ? await isolate(part, outcome) : outcome;
      parts.push({ personas: part.personas, answer });
    }
    return joinPredictions(parts);
  };

  /** Where not one row of the first batch is taken, the rows are not to blame. */
  const tryIsolating = async (encoded: Encoded, failure: CallError): Promise<ReceivedPredictions> => {
    const answer = await isolate(encoded, failure);
    if (!hasScored && encoded.personas > 1) throw failure;
    return answer;
  };

  return async encoded => {
    const outcome = await attempt(encoded).catch(failure => {
      // A row that stands alone from the start may be all that makes no sense.
      const isWrong = failure instanceof CallError && failure.kind === 'invalid_response';
      if (isWrong && hasScored && encoded.personas === 1) return attempt(encoded, true);
      throw failure;
    });
    if (!(outcome instanceof CallError)) return outcome;
    if (hasScored) return isolate(encoded, outcome);
    if (trial === undefined) {
      trial = tryIsolating(encoded, outcome);
      return trial;
    }
    await trial;
    return isolate(encoded, outcome);
  };
}

/** The single rows that fail before any row is scored: where the first few do in the same way, so will all others. */
class FirstRejects {
  readonly #failures: CallError[] = [];

  /** @throws CallError the first row's failure, when there is one too many of its kind */
  add(failure: CallError): void {
    this.#failures.push(failure);
    const ways = new Set(this.#failures.map(({ status, code }) => `${status} ${code}`));
    if (ways.size > 1 || this.#failures.length < MAX_ATTEMPTS) return;
    // Rows that are sent one by one may fail in another order.
    const rowOf = ({ location: place }: CallError): number => place.row ?? Number.POSITIVE_INFINITY;
    throw this.#failures.reduce((first, other) => (rowOf(other) < rowOf(first) ? other : first));
  }
}
