import { Readable } from 'node:stream';
import { accountsTrailer, parseAccounts, type UploadAccounts } from '../contract/accounts-trailer.ts';
import type { RowcastError } from '../errors.ts';
import { CallError } from './failures.ts';
import { pausedWhileProcessing, pausedWhileReading, startDeadline } from './transport/deadline.ts';
import type { HttpRequest, Transport } from './transport/http.ts';

/** A CSV on its way back from POST /user/batch-predict. */
export interface ScoredUpload {
  /** To be read to their end. */
  chunks: AsyncGenerator<Buffer>;
  /**
   * What became of the rows, once the chunks have come to their end.
   *
   * @throws CallError `wrong_answer` where the answer does not say: then it may not be whole
   */
  accounts(): UploadAccounts;
}

/**
 * Sends a CSV and has it back scored; it comes while the rest is sent. It may take as long as it likes, but no longer
 * than the timeout without a byte either way while the service is what is waited for.
 *
 * @param csv read as fast as the service takes it
 * @param signal aborted when nobody waits for the answer any more
 */
export async function upload(
  transport: Transport,
  id: string,
  csv: AsyncIterable<Buffer>,
  signal: AbortSignal | undefined,
): Promise<ScoredUpload> {
  const deadline = startDeadline(transport.timeout, signal);
  let isSent = false;
  const onSent = (): void => {
    isSent = true;
  };
  const call: HttpRequest = {
    method: 'POST',
    path: `/user/batch-predict?id=${encodeURIComponent(id)}`,
    body: Readable.from(pausedWhileReading(csv, deadline, onSent), { objectMode: false }),
    type: 'text/csv',
    accept: 'text/csv',
  };
  const place = transport.place(call);
  const broken = (cause: unknown): RowcastError =>
    transport.failure(cause, place, {
      late: `no data was sent or received for ${transport.timeout / 1000} s`,
      brokenHint: 'See the log of the service; rowcast score reports what is wrong with an input.',
    });
  let response: Awaited<ReturnType<Transport['open']>>;
  try {
    response = await transport.open(call, deadline.signal);
  } catch (cause) {
    deadline.release();
    const failure = broken(cause);
    // Nothing has come back, and no part of it will fare better.
    if (failure instanceof CallError && failure.kind === 'rejected_request') failure.consequence = 'refused';
    throw failure;
  }
  const { body, trailers } = response;
  return {
    chunks: (async function* () {
      try {
        yield* pausedWhileProcessing(body, deadline);
      } catch (cause) {
        throw broken(cause);
      } finally {
        deadline.release();
      }
    })(),
    accounts() {
      if (!isSent)
        throw new CallError(
          'invalid_response',
          'wrong_answer',
          'the response ended before the whole request was sent',
          {
            location: place,
          },
        );
      const accounts = parseAccounts(trailers[accountsTrailer]);
      if (accounts !== undefined) return accounts;
      throw new CallError('invalid_response', 'wrong_answer', 'the response ends without its row counts', {
        location: place,
        hint: 'It may be incomplete. A proxy in front of the service must use HTTP/1.1 and forward trailers.',
      });
    },
  };
}
