import type { JobValues } from '../../base/options/values/run-values.ts';
import { httpScorer } from '../../client/scorer/http-scorer.ts';
import type { ServiceClientOptions } from '../../client/service-client.ts';
import type { OpenScorer, Scorer } from '../../scoring/scorer.ts';
import type { ProgramScorer as GivenScorer } from '../scorer.ts';
import { chooseService, type Given } from '../service/choose-service.ts';
import { openPredictor, thenClosed } from '../service/open-predictor.ts';
import { Client, serviceOf } from './client.ts';
import { customScorer } from './custom-scorer.ts';
import { LocalScorer, modelScorerOf } from './local-scorer.ts';

export interface RunScorerOptions {
  /** The one that the program gives, if it does. */
  scorer: GivenScorer | undefined;
  values: JobValues;
  /** Where the service is, unless a scorer is given. */
  given: Given;
  /** Called before each wait for a retry, which is in milliseconds. */
  onRetry?: ServiceClientOptions['onRetry'];
  stop: AbortSignal;
}

/**
 * Opens what a run scores with: the given scorer, else by the URL, else the local reports. A given scorer stays open.
 */
export async function openRunScorer(options: RunScorerOptions): Promise<OpenScorer> {
  const { scorer, values, given, onRetry, stop } = options;
  if (scorer === undefined)
    return openPredictor({ values, address: chooseService(given), env: given.env, onRetry, stop });
  if (scorer instanceof LocalScorer) return modelScorerOf(scorer).forRun();
  const { concurrency, maxOutage } = values;
  if (!(scorer instanceof Client)) {
    const custom = customScorer(scorer, { concurrency, maxOutage, onRetry });
    return { scorer: custom, close: async () => {} };
  }
  const { service, maxOutage: its } = serviceOf(scorer);
  // Without a callback of the run, the client's own is called.
  const client = service.forRun({ maxOutage: its ?? maxOutage, ...(onRetry && { onRetry }) });
  return { scorer: httpScorer(client), close: () => client.close() };
}

/** Opens what a run scores with, and closes it afterwards. */
export const withRunScorer = <T>(
  options: RunScorerOptions,
  use: (scorer: Scorer) => Promise<T>,
): Promise<T> => thenClosed(openRunScorer(options), ({ scorer }) => use(scorer));
