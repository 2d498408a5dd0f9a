import { Readable } from 'node:stream';
import {
  parseRowCounts,
  rowCountsTrailer,
  type ScoredUpload,
} from '../../../base/contract/row-counts-trailer.ts';
import { type UploadFormat, uploadTypes } from '../../../base/contract/upload-formats.ts';
import type { RowcastError } from '../../../base/errors.ts';
import { CallError } from '../../../scoring/failures/call-error.ts';
import { pausedWhileProcessing, pausedWhileReading, startDeadline } from '../../transport/deadline.ts';
import type { Transport } from '../../transport/http.ts';
import type { HttpRequest } from '../../transport/http-request.ts';

/** A file to upload. */
export interface UploadedFile {
  bytes: AsyncIterable<Buffer>;
  format: UploadFormat;
}

/**
 * Uploads a file; the scored rows arrive while the rest is still being sent. There is no limit on the total time, only on
 * the time without a byte in either direction while we are waiting for the service.
 *
 * @param file read only as fast as the service accepts it
 * @param signal aborts the upload
 */
export async function upload(
  transport: Transport,
  id: string,
  { bytes, format }: UploadedFile,
  signal: AbortSignal | undefined,
): Promise<ScoredUpload> {
  const deadline = startDeadline(transport.timeout, signal);
  let isSent = false;
  const onSent = (): void => {
    isSent = true;
  };
  const [type] = uploadTypes[format];
  const call: HttpRequest = {
    method: 'POST',
    path: `/user/batch-predict?id=${encodeURIComponent(id)}`,
    body: Readable.from(pausedWhileReading(bytes, deadline, onSent), { objectMode: false }),
    type,
    accept: type,
  };
  const location = transport.locationOf(call);
  const broken = (cause: unknown): RowcastError =>
    transport.failure(cause, location, {
      late: `no data was sent or received for ${transport.timeout / 1000} s`,
      brokenHint: 'See the log of the service; rowcast score reports what is wrong with an input.',
    });
  let response: Awaited<ReturnType<Transport['open']>>;
  try {
    response = await transport.open(call, deadline.signal);
  } catch (cause) {
    deadline.release();
    const failure = broken(cause);
    // Nothing was written yet, and an upload cannot be split into smaller parts.
    if (failure instanceof CallError && failure.kind === 'rejected_request') failure.severity = 'refused';
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
    rowCounts() {
      if (!isSent)
        throw transport.failures.of(
          'no_accounts',
          'the response ended before the whole request was sent',
          { location },
          'wrong_answer',
        );
      const rowCounts = parseRowCounts(trailers[rowCountsTrailer]);
      if (rowCounts !== undefined) return rowCounts;
      throw transport.failures.of(
        'no_accounts',
        'the response ends without its row counts',
        {
          location,
          hint: 'It may be incomplete. A proxy in front of the service must use HTTP/1.1 and forward trailers.',
        },
        'wrong_answer',
      );
    },
  };
}
