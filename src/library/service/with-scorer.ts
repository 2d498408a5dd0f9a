import type { SharedPace } from '../../base/contract/shared-pace.ts';
import type { Wire } from '../../base/contract/wire-names.ts';
import type { ClientOptions } from '../../client/client-options.ts';
import type { SharedScorer } from '../../scoring/scorer.ts';
import type { ScoreValues } from '../run/score-values.ts';
import type { Address, Environment } from './choose-service.ts';
import { withClient } from './with-client.ts';

export interface ScorerOptions {
  values: ScoreValues;
  address: Address;
  env: Environment;
  /** Called before each wait for a retry. */
  onRetry?: ClientOptions['onRetry'] | undefined;
  /** Makes each request a part of a trace. */
  trace?: ClientOptions['trace'];
  /** The pace of other processes of the same run. */
  sharedPace?: SharedPace | undefined;
  stop: AbortSignal;
}

/** Opens the scorer of a run, and closes it afterwards. */
export async function withScorer<T>(
  { values, address, env, onRetry, trace, sharedPace, stop }: ScorerOptions,
  use: (scorer: SharedScorer) => Promise<T>,
): Promise<T> {
  const { concurrency, maxRequestsPerSecond, maxRowsPerSecond, maxOutage, threads } = values;
  if (address.kind === 'remote') {
    const wire = values.wire as Partial<Wire> | undefined; // a definition's, which its schema checked
    const pace = { concurrency, maxRequestsPerSecond, maxRowsPerSecond, maxOutage, sharedPace };
    const { sharedHttpScorer } = await import('../../client/scorer/http-scorer.ts');
    return withClient(address, { values, pace, wire, env, onRetry, trace, stop }, client =>
      use(sharedHttpScorer(client)),
    );
  }
  // Loaded only when it is needed.
  const { LocalScorer } = await import('../../models/local/local-scorer.ts');
  const scorer = await LocalScorer.open({ home: address.home, threads, maxRowsPerSecond, sharedPace });
  try {
    return await use(scorer);
  } finally {
    await scorer.close();
  }
}
