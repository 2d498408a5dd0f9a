import { Readable } from 'node:stream';
import { type UploadFormat, uploadTypes } from '../../../base/contract/file-formats.ts';
import {
  parseRowCounts,
  rowCountsTrailer,
  type ScoredUpload,
} from '../../../base/contract/row-counts-trailer.ts';
import type { Features, LooseReport, PersonaAnswer } from '../../../base/contract/schemas.ts';
import type { RowcastError } from '../../../base/errors.ts';
import { wrongNumbers } from '../../../scoring/batch/check-values.ts';
import { CallError } from '../../../scoring/failures/call-error.ts';
import type { ReceivedPredictions } from '../../../scoring/predictions.ts';
import type { Secrets } from '../../credentials.ts';
import { ServiceClient, type ServiceClientOptions } from '../../service-client.ts';
import { pausedWhileProcessing, pausedWhileReading, startDeadline } from '../../transport/deadline.ts';
import type { Transport } from '../../transport/http.ts';
import type { HttpRequest } from '../../transport/http-request.ts';
import { parsePersona } from './parse-report.ts';
import { type ReportProtocol, reportProtocol } from './report-protocol.ts';

/** The requests of the prediction report API that other protocols do not have, by the client of a service. */
export class ReportClient {
  readonly name: string;
  readonly #client: ServiceClient<ReportProtocol>;

  constructor(client: ServiceClient<ReportProtocol>) {
    this.name = client.name;
    this.#client = client;
  }

  /** A report's tech specs and drivers, and its classes and columns if the service includes them. */
  async report(id: string, signal?: AbortSignal): Promise<LooseReport> {
    return this.#client.ask(this.#client.protocol.describe(id), signal);
  }

  /**
   * A report's testing results, a CSV of any size as it arrives. They are not requested again once they have begun.
   *
   * @throws CallError
   */
  async *testingResults(id: string): AsyncGenerator<Buffer> {
    const { statistics, transport } = this.#client;
    const path = `/user/testing-results/${encodeURIComponent(id)}`;
    const request: HttpRequest = { method: 'GET', path, accept: 'text/csv' };
    const broken = (cause: unknown): RowcastError => transport.failure(cause, transport.locationOf(request));
    const { body, deadline } = await this.#client.retried(async () => {
      statistics.calls++;
      const deadline = startDeadline(transport.timeout, undefined);
      try {
        const { body } = await transport.open(request, deadline.signal);
        return { body, deadline };
      } catch (cause) {
        deadline.release();
        throw broken(cause);
      }
    });
    try {
      for await (const chunk of body) yield chunk;
    } catch (cause) {
      throw broken(cause);
    } finally {
      deadline.release();
    }
  }

  /** Uploads a file and returns it scored, see `upload`. It is not retried, because the input cannot be read twice. */
  async batchPredict(id: string, file: FileUpload, signal: AbortSignal | undefined): Promise<ScoredUpload> {
    const { statistics, transport } = this.#client;
    statistics.calls++;
    return upload(transport, id, file, signal);
  }

  /** One persona's probabilities, and what the service says about its values. */
  async persona(id: string, features: Features, signal?: AbortSignal): Promise<PersonaAnswer> {
    const { wire } = this.#client.protocol;
    const body = JSON.stringify({ [wire.id]: id, [wire.features]: features });
    const request = { method: 'POST', path: '/user/persona', body, personas: 1 } as const;
    const read = (response: Buffer, secrets: Secrets): PersonaAnswer =>
      parsePersona(response, { report: id, wire, secrets });
    return this.#client.ask({ request, read }, signal);
  }

  /**
   * The validated predictions of a batch.
   *
   * @param body names the report, and holds this many personas
   */
  async batchPersona(
    id: string,
    body: Buffer,
    personas: number,
    signal?: AbortSignal,
  ): Promise<ReceivedPredictions> {
    const { request, reader } = this.#client.protocol.predict(id);
    const expected = { personas, predictionType: undefined };
    const batch = { request: { ...request, body }, reader: reader(), expected };
    const predictions = await this.#client.predict(batch, signal);
    if (predictions.kind !== 'numbers') return predictions;
    return { ...predictions, errors: new Map([...predictions.errors, ...wrongNumbers(predictions)]) };
  }
}

/** A file to upload. */
export interface FileUpload {
  bytes: AsyncIterable<Buffer>;
  format: UploadFormat;
}

/**
 * Uploads a file; the scored rows arrive while the rest is still being sent. There is no limit on the total time, only
 * on the time without a byte in either direction while we are waiting for the service.
 *
 * @param file read only as fast as the service accepts it
 * @param signal aborts the upload
 */
export async function upload(
  transport: Transport,
  id: string,
  { bytes, format }: FileUpload,
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

/** A client of a service that has the prediction report API. */
export const connectReports = (
  options: Omit<ServiceClientOptions, 'protocol'>,
): ServiceClient<ReportProtocol> => new ServiceClient({ ...options, protocol: reportProtocol() });
