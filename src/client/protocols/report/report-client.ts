import type { ScoredUpload } from '../../../base/contract/row-counts-trailer.ts';
import type { Features, LooseReport, PersonaAnswer } from '../../../base/contract/schemas.ts';
import type { ReceivedPredictions } from '../../../scoring/predictions.ts';
import type { Secrets } from '../../secrets.ts';
import type { ServiceClient } from '../../service-client.ts';
import { download } from './download.ts';
import { parsePersona } from './parse-persona.ts';
import type { ReportProtocol } from './report-protocol.ts';
import { type UploadedFile, upload } from './upload.ts';

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

  /** A report's testing results, as CSV. */
  async *testingResults(id: string): AsyncGenerator<Buffer> {
    const { statistics, transport } = this.#client;
    statistics.calls++;
    yield* download(transport, `/user/testing-results/${encodeURIComponent(id)}`);
  }

  /** Uploads a file and returns it scored, see `upload`. It is not retried, because the input cannot be read twice. */
  async batchPredict(id: string, file: UploadedFile, signal: AbortSignal | undefined): Promise<ScoredUpload> {
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
    return this.#client.predict({ request: { ...request, body }, reader: reader(), expected }, signal);
  }
}
