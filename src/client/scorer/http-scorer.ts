import type { Description } from '../../base/contract/schemas.ts';
import type { ReceivedPredictions } from '../../scoring/predictions.ts';
import type { ScorerInput, SharedScorer } from '../../scoring/scorer.ts';
import type { Expected, PredictionRequest, ResponseReader } from '../protocols/protocol.ts';
import type { ServiceClient } from '../service-client.ts';
import type { HttpRequest } from '../transport/http-request.ts';
import { EncodedBatches } from './encoded-batches.ts';

/** Scores with a prediction service: a batch is one request, which the client's protocol writes and reads. */
export function httpScorer(client: ServiceClient): SharedScorer {
  const descriptions = new Map<string, Description>();
  return {
    name: client.name,
    protocol: client.protocol.name,
    dependsOnBatch: client.protocol.dependsOnBatch,
    statistics: client.statistics,
    async describe(model) {
      const description = await client.describe(model);
      descriptions.set(model, description);
      return description;
    },
    check({ report, ...sent }) {
      client.protocol.predict(report, { description: descriptions.get(report) }).body.open(sent);
    },
    open(input) {
      const { report, classes } = input;
      const known = { classes, description: descriptions.get(report) };
      return new HttpBatches(client, client.protocol.predict(report, known), input);
    },
    // The runs share the pace, and what is known of the service.
    forRun() {
      const own = client.forRun();
      return { scorer: httpScorer(own), close: () => own.close() };
    },
  };
}

class HttpBatches extends EncodedBatches {
  readonly #client: ServiceClient;
  readonly #model: string;
  readonly #request: HttpRequest;
  readonly #reader: ResponseReader;

  constructor(client: ServiceClient, { request, body, reader }: PredictionRequest, input: ScorerInput) {
    super(body, input);
    this.#client = client;
    this.#model = input.report;
    this.#request = { ...request, type: body.type };
    this.#reader = reader();
  }

  get concurrency() {
    return this.#client.concurrency;
  }

  get retryPolicy() {
    return this.#client.retryPolicy;
  }

  protected predict(body: Buffer, expected: Expected, signal: AbortSignal): Promise<ReceivedPredictions> {
    const request = { ...this.#request, body };
    return this.#client.tryBatch({ request, reader: this.#reader, expected, model: this.#model }, signal);
  }

  confirm({ origins = [] }: { origins?: readonly number[] }, row: number): boolean {
    return this.#client.confirm(origins, row);
  }

  isReady(signal: AbortSignal): Promise<boolean> {
    return this.#client.isReady(this.#model, signal);
  }

  async confirmAll(): Promise<void> {
    await this.#client.checkAllWritten(this.#model);
  }
}
