import type { Answer } from '../api/answer.ts';
import type { Client } from '../api/client.ts';
import { RowcastError } from '../errors.ts';
import type { Encoded } from './encode.ts';

export interface CallOptions {
  client: Client;
  /** The header's classes, once they are known. */
  classes: () => readonly string[] | undefined;
  /** The input's name, for messages. */
  file: string;
  /** Aborted when nobody waits for the answers any more: calls end, and no further one begins. */
  signal: AbortSignal;
}

/** The call of a batch: its failure names the batch's place in the input. */
export function caller({
  client,
  classes,
  file,
  signal,
}: CallOptions): (encoded: Encoded) => Promise<Answer> {
  return async ({ batch, body, personas }) => {
    signal.throwIfAborted();
    // Nothing but blank lines or malformed records: there is nothing to ask.
    if (personas === 0) return { classes: [], probabilities: new Float64Array(), errors: new Map() };
    try {
      return await client.batchPersona(body, { personas, classes: classes() }, signal);
    } catch (error) {
      throw error instanceof RowcastError
        ? error.within({ file, line: batch.start.line, row: batch.start.row })
        : error;
    }
  };
}
