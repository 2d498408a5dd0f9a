import type { Client } from '../client/client.ts';
import { CallError } from '../client/failures.ts';
import type { ReceivedPredictions } from '../client/response/parse-predictions.ts';
import { MAX_ATTEMPTS } from '../client/retry/retry.ts';
import { RowcastError } from '../errors.ts';
import { sliceBatch } from '../formats/csv/batch.ts';
import type { Dialect } from '../formats/csv/dialect.ts';
import type { Encode, Encoded } from './encode.ts';
import type { Feedback } from './feedback.ts';
import { joinPredictions, noPredictions, rejectedPersona } from './join-predictions.ts';
import { withProbes } from './probe.ts';

export interface ScoreBatchOptions {
  client: Client;
  /** Report id. */
  report: string;
  /** Name of the input, for messages. */
  file: string;
  dialect: Dialect;
  /** Encodes a part of a batch. */
  toBody: Encode;
  feedback: Pick<Feedback, 'classes' | 'limits'>;
  /** Whether the run being resumed has scored any row. */
  hasScored: boolean;
  /** Cancels in-flight requests and prevents further ones. */
  signal: AbortSignal;
}

/**
 * Scores batches and handles rejected ones: a rejected batch is halved until the rejected rows are isolated. These get an
 * error, the others their probabilities. One bad row in a batch of n costs at most 2·log2(n) + 1 extra requests.
 */
export function batchScorer(options: ScoreBatchOptions): (encoded: Encoded) => Promise<ReceivedPredictions> {
  const { client, report, file, dialect, toBody, signal } = options;
  const { classes, limits } = options.feedback;
  let { hasScored } = options;
  /** The first batch that failed before any row was scored. Others wait for it: every batch may have the same problem. */
  let firstFailed: Promise<ReceivedPredictions> | undefined;
  const firstRejects = new FirstRejects();

  const withProbing = withProbes({
    dialect,
    toBody,
    send: ({ body, personas }, ended) =>
      client.probe(body, { personas, classes: classes(), report }, AbortSignal.any([ended, signal])),
  });

  /** @returns the failure if it may be caused by the rows; others are thrown */
  const attempt = async (encoded: Encoded, isRest = false): Promise<ReceivedPredictions | CallError> => {
    const { batch, body, personas } = encoded;
    signal.throwIfAborted();
    // Only blank lines and malformed records: nothing to send.
    if (personas === 0) return noPredictions;
    const location = { file, line: batch.start.line, row: batch.start.row };
    try {
      const outcome = await withProbing(encoded, onRetry =>
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

  /** Tries both halves before splitting either: if rows of one are scored, the rows of the other are at fault. */
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
    const parts: { personas: number; predictions: ReceivedPredictions }[] = [];
    for (const { part, outcome } of tried) {
      const predictions = outcome instanceof CallError ? await isolate(part, outcome) : outcome;
      parts.push({ personas: part.personas, predictions });
    }
    return joinPredictions(parts);
  };

  /** If the service rejects every row of the first batch, the rows are not at fault: the failure stops the run. */
  const tryIsolating = async (encoded: Encoded, failure: CallError): Promise<ReceivedPredictions> => {
    const predictions = await isolate(encoded, failure);
    if (!hasScored && encoded.personas > 1) throw failure;
    return predictions;
  };

  return async encoded => {
    const outcome = await attempt(encoded).catch(failure => {
      // In a batch of one row, an invalid response may be caused by that row alone.
      const isWrong = failure instanceof CallError && failure.kind === 'invalid_response';
      if (isWrong && hasScored && encoded.personas === 1) return attempt(encoded, true);
      throw failure;
    });
    if (!(outcome instanceof CallError)) return outcome;
    if (hasScored) return isolate(encoded, outcome);
    if (firstFailed === undefined) {
      firstFailed = tryIsolating(encoded, outcome);
      return firstFailed;
    }
    await firstFailed;
    return isolate(encoded, outcome);
  };
}

/** Single rows that fail before any row is scored. If the first few fail in the same way, all others would too. */
class FirstRejects {
  readonly #failures: CallError[] = [];

  /** @throws CallError the failure of the first row, if all of the first few failures are alike */
  add(failure: CallError): void {
    this.#failures.push(failure);
    const ways = new Set(this.#failures.map(({ status, code }) => `${status} ${code}`));
    if (ways.size > 1 || this.#failures.length < MAX_ATTEMPTS) return;
    // Concurrent single-row requests may fail out of order.
    const rowOf = ({ location: place }: CallError): number => place.row ?? Number.POSITIVE_INFINITY;
    throw this.#failures.reduce((first, other) => (rowOf(other) < rowOf(first) ? other : first));
  }
}
