import type { Predicted, Prediction } from '../../base/contract/prediction.ts';
import type { Description, Features } from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import { httpScorer } from '../../client/scorer/http-scorer.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import type { Scorer } from '../../scoring/scorer.ts';
import { predictFeatures } from './predict-features.ts';

/** Predicts for objects by any protocol, with what the service says about its models, which is asked once for each. */
export class ObjectClient {
  readonly #scorer: Scorer;
  readonly #classes: readonly string[] | undefined;
  readonly #descriptions = new Map<string, Promise<Description>>();

  /** @param classes in the order in which the service lists probabilities, if it does not name them */
  constructor(client: ServiceClient, classes: readonly string[] | undefined) {
    this.#scorer = httpScorer(client);
    this.#classes = classes;
  }

  /** What is predicted for each persona, in their order. @throws RowcastError */
  async predict(report: string, personas: readonly Features[], stop: AbortSignal): Promise<Prediction[]> {
    const { classes, columns = [] } = await this.#describe(report);
    const types = Object.fromEntries(
      columns.flatMap(({ name, type }) => (type === undefined ? [] : [[name, type]])),
    );
    const asked = { report, personas, classes: this.#classes ?? classes, types };
    return predictFeatures(this.#scorer, asked, stop);
  }

  /** What is predicted for one persona. @throws RowcastError, also with the code of a rejected row */
  async predictOne(report: string, features: Features, stop: AbortSignal): Promise<Predicted> {
    const [prediction] = await this.predict(report, [features], stop);
    if (prediction === undefined) throw new TypeError('predictOne: a persona has a prediction');
    if (!('error' in prediction)) return prediction;
    const { code, message } = prediction.error;
    throw new RowcastError(code, message, { severity: 'stopped' });
  }

  #describe(report: string): Promise<Description> {
    const known = this.#descriptions.get(report);
    if (known !== undefined) return known;
    const asked = this.#scorer.describe(report);
    this.#descriptions.set(report, asked);
    // One that has failed is asked for again.
    asked.catch(() => this.#descriptions.delete(report));
    return asked;
  }
}
