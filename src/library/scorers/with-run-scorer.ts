import type { ClientOptions } from '../../client/client-options.ts';
import { httpScorer } from '../../client/scorer/http-scorer.ts';
import type { Scorer as RunScorer } from '../../scoring/scorer.ts';
import type { ScoreValues } from '../run/score-values.ts';
import { chooseService, type Given } from '../service/choose-service.ts';
import { withScorer } from '../service/with-scorer.ts';
import { Client, serviceOf } from './client.ts';
import { LocalScorer, threadsOf } from './local-scorer.ts';
import { ownService } from './own-scorer.ts';
import type { Scorer } from './scorer.ts';

export interface RunScorerOptions {
  /** The one that the program gives, if it does. */
  scorer: Scorer | undefined;
  values: ScoreValues;
  /** Where the service is, unless a scorer is given. */
  given: Given;
  /** Called before each wait for a retry, which is in milliseconds. */
  onRetry?: ClientOptions['onRetry'] | undefined;
  stop: AbortSignal;
}

/**
 * What a run scores with: by the given scorer, else by the URL, else by the local reports. What is opened here is closed
 * afterwards.
 */
export async function withRunScorer<T>(
  { scorer, values, given, onRetry, stop }: RunScorerOptions,
  use: (scorer: RunScorer) => Promise<T>,
): Promise<T> {
  if (scorer === undefined) {
    const address = chooseService(given);
    const { env } = given;
    return withScorer({ values, address, env, onRetry, stop }, use);
  }
  if (scorer instanceof LocalScorer) return use(threadsOf(scorer).forRun().scorer);
  const { concurrency, maxOutage } = values;
  if (!(scorer instanceof Client))
    return use(httpScorer(ownService(scorer, { concurrency, maxOutage, onRetry })));
  const { service, maxOutage: its } = serviceOf(scorer);
  const client = service.forRun({ maxOutage: its ?? maxOutage, ...(onRetry && { onRetry }) });
  try {
    return await use(httpScorer(client));
  } finally {
    await client.close();
  }
}
