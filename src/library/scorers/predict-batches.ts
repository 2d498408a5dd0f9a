import { setMaxListeners } from 'node:events';
import type { Description, Features, Predicted, Prediction } from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import type { ReportClient } from '../../client/protocols/report/report-client.ts';
import { httpScorer } from '../../client/scorer/http-scorer.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import { predictionOf } from '../../scoring/predictions.ts';
import type { Scorer } from '../../scoring/scorer.ts';
import { chooseProtocol, type ProtocolValues } from '../service/choose-protocol.ts';
import { chooseService, type Given, noService } from '../service/choose-service.ts';
import { type ConnectOptions, openClient, thenClosed } from '../service/open-predictor.ts';
import { type PersonasOf, predictFeatures } from './predict-features.ts';

/** Maximum size of a request, as in a run. */
const BATCH_ROWS = 1000;
const BATCH_BYTES = 1 << 20;

/** Predicts for any number of personas, in batches, several at a time. The first batch that fails ends the others. */
export async function predictBatches(
  client: ReportClient,
  { report, personas, concurrency }: Personas,
  signal: AbortSignal,
): Promise<Prediction[]> {
  const failed = new AbortController();
  const stop = AbortSignal.any([failed.signal, signal]);
  // Every request adds a listener.
  setMaxListeners(0, stop);
  const predictions: Prediction[] = [];
  const batches = batchesOf(report, personas);
  const predict = async (): Promise<void> => {
    for (const { start, count, body } of batches) {
      const received = await client.batchPersona(report, body, count, stop);
      for (let row = 0; row < count; row++) predictions[start + row] = predictionOf(received, row);
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, predict));
  } catch (error) {
    failed.abort();
    throw error;
  }
  return predictions;
}

interface Personas {
  report: string;
  personas: readonly Features[];
  /** Requests at the same time. */
  concurrency: number;
}

interface Batch {
  start: number;
  count: number;
  body: Buffer;
}

function* batchesOf(report: string, personas: readonly Features[]): Generator<Batch> {
  let start = 0;
  let texts: string[] = [];
  let size = 0;
  const batch = (): Batch => ({
    start,
    count: texts.length,
    body: Buffer.from(`{"id":${JSON.stringify(report)},"personas":[${texts.join(',')}]}`),
  });
  for (const features of personas) {
    const text = JSON.stringify({ features });
    if (texts.length === BATCH_ROWS || (texts.length > 0 && size + text.length > BATCH_BYTES)) {
      yield batch();
      start += texts.length;
      texts = [];
      size = 0;
    }
    texts.push(text);
    size += text.length;
  }
  if (texts.length > 0) yield batch();
}

/** Opens a client of the service that a command chooses, for single predictions. @throws as `openClient`; `usage` */
export async function withFeaturesClient<T>(
  given: Given & Pick<ConnectOptions, 'onRetry'>,
  values: ProtocolValues & PersonaOptions & { timeout: number },
  use: (client: FeaturesClient) => Promise<T>,
): Promise<T> {
  const address = chooseService(given);
  if (address.kind === 'local') throw noService(values.protocol);
  const { env, onRetry } = given;
  const { timeout } = values;
  const connecting = { timeout, env, onRetry };
  return thenClosed(openClient(address, chooseProtocol(values), connecting), client =>
    use(new FeaturesClient(client, values)),
  );
}

type PersonaOptions = Pick<PersonasOf, 'classes' | 'types'>;

/** Predicts for objects by any protocol, with what the service says about its models, which is asked once for each. */
export class FeaturesClient {
  readonly #scorer: Scorer;
  readonly #options: PersonaOptions;
  readonly #descriptions = new Map<string, Promise<Description>>();

  constructor(client: ServiceClient, options: PersonaOptions) {
    this.#scorer = httpScorer(client);
    this.#options = options;
  }

  /** What is predicted for each persona, in their order. @throws RowcastError */
  async predict(report: string, personas: readonly Features[], stop: AbortSignal): Promise<Prediction[]> {
    const { classes, columns = [] } = await this.describe(report);
    const stated = Object.fromEntries(
      columns.flatMap(({ name, type }) => (type === undefined ? [] : [[name, type]])),
    );
    const own = this.#options;
    const types = { ...stated, ...own.types };
    return predictFeatures(this.#scorer, { report, personas, classes: own.classes ?? classes, types }, stop);
  }

  /** What is predicted for one persona. @throws RowcastError, also with the code of a rejected row */
  async predictOne(report: string, features: Features, stop: AbortSignal): Promise<Predicted> {
    const [prediction] = await this.predict(report, [features], stop);
    if (prediction === undefined) throw new TypeError('predictOne: a persona has a prediction');
    if (!('error' in prediction)) return prediction;
    const { code, message } = prediction.error;
    throw new RowcastError(code, message, { severity: 'stopped' });
  }

  /** What the service says about a model. */
  describe(report: string): Promise<Description> {
    const known = this.#descriptions.get(report);
    if (known !== undefined) return known;
    const asked = this.#scorer.describe(report);
    this.#descriptions.set(report, asked);
    // One that has failed is asked for again.
    asked.catch(() => this.#descriptions.delete(report));
    return asked;
  }
}
