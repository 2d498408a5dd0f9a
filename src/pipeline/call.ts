import type { Answer } from '../api/answer.ts';
import type { Client } from '../api/client.ts';
import { CallError } from '../api/failures.ts';
import { sliceBatch } from '../csv/batch.ts';
import type { Dialect } from '../csv/dialect.ts';
import { RowcastError } from '../errors.ts';
import { joinAnswers, noAnswer, refusedPersona } from './answers.ts';
import type { BatchLimits } from './batch-limits.ts';
import type { Encode, Encoded } from './encode.ts';
import { witnessed } from './witness.ts';

export interface CallOptions {
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
  limits: Pick<BatchLimits, 'tooLarge' | 'taken'>;
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
export function caller(options: CallOptions): (encoded: Encoded) => Promise<Answer> {
  const { client, report, classes, file, dialect, toBody, limits, signal } = options;
  let { hasScored } = options;
  /** The batch that was refused first, when no row had been scored: what is wrong may be wrong with every batch. */
  let trial: Promise<Answer> | undefined;

  const witness = witnessed({
    dialect,
    toBody,
    ask: ({ body, personas }, ended) =>
      client.batchPersona(body, { personas, classes: classes(), report }, AbortSignal.any([ended, signal])),
  });

  const call = async (encoded: Encoded, isRest = false): Promise<Answer> => {
    const { batch, body, personas } = encoded;
    signal.throwIfAborted();
    // Nothing but blank lines or malformed records: there is nothing to ask.
    if (personas === 0) return noAnswer;
    try {
      const answer = await witness(encoded, onRetry =>
        client.batchPersona(body, { personas, classes: classes(), isRest, report }, signal, onRetry),
      );
      if (answer.errors.size < personas) hasScored = true;
      limits.taken(encoded);
      return answer;
    } catch (error) {
      if (error instanceof CallError && error.status === 413) limits.tooLarge(encoded);
      throw error instanceof RowcastError
        ? error.within({ file, line: batch.start.line, row: batch.start.row })
        : error;
    }
  };

  const callHalves = async ({ batch, personas }: Encoded, error: CallError): Promise<Answer> => {
    if (personas === 1) return refusedPersona(error);
    const middle = batch.ends.length >> 1;
    const halves = [
      sliceBatch(batch, 0, middle, dialect),
      sliceBatch(batch, middle, batch.ends.length, dialect),
    ];
    const parts: { personas: number; answer: Answer }[] = [];
    for (const half of halves)
      for (const part of toBody(half)) {
        const answer = await call(part, true).catch(failure => callHalves(part, splitting(failure)));
        parts.push({ personas: part.personas, answer });
      }
    return joinAnswers(parts);
  };

  /** Where not one row of the first batch is taken, the rows are not to blame. */
  const tryHalves = async (encoded: Encoded, error: CallError): Promise<Answer> => {
    const answer = await callHalves(encoded, error);
    if (!hasScored) throw error;
    return answer;
  };

  return async encoded => {
    try {
      return await call(encoded);
    } catch (failure) {
      // A row that stands alone from the start may be all that makes no sense.
      const isWrong = failure instanceof CallError && failure.kind === 'wrong_answer';
      if (isWrong && hasScored && encoded.personas === 1) return call(encoded, true);
      const error = splitting(failure);
      if (hasScored) return callHalves(encoded, error);
      if (trial === undefined) {
        trial = tryHalves(encoded, error);
        return trial;
      }
      await trial;
      return callHalves(encoded, error);
    }
  };
}

/** A failure that the halves of the batch may not share; any other is thrown. */
function splitting(failure: unknown): CallError {
  if (failure instanceof CallError && failure.splits) return failure;
  throw failure;
}
