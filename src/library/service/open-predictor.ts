import { defaultProtocol } from '../../base/contract/protocol-names.ts';
import type { SharedPace } from '../../base/contract/shared-pace.ts';
import type { JobValues } from '../../base/options/values/run-values.ts';
import type { OpenScorer, SharedScorer } from '../../scoring/scorer.ts';
import { type Address, noService } from './choose-service.ts';
import { type ConnectOptions, openClient, thenClosed } from './open-client.ts';

export interface ScorerOptions extends Pick<ConnectOptions, 'env' | 'onRetry' | 'trace'> {
  values: JobValues;
  address: Address;
  /** The pace of other processes of the same run. */
  sharedPace?: SharedPace | undefined;
  stop: AbortSignal;
}

/**
 * Opens what predicts: a service, or the reports of this machine.
 *
 * @throws RowcastError `no_key`, `bad_url`, `insecure_url`, `unreadable_home`, as `chooseProtocol`; Interrupted
 */
export async function openPredictor(options: ScorerOptions): Promise<OpenScorer<SharedScorer>> {
  const { values, address, sharedPace } = options;
  const { concurrency, maxRequestsPerSecond, maxRowsPerSecond, maxOutage, threads } = values;
  if (address.kind === 'remote') {
    const { chooseProtocol } = await import('./choose-protocol.ts');
    const protocol = chooseProtocol(values);
    const pace = { concurrency, maxRequestsPerSecond, maxRowsPerSecond, maxOutage, sharedPace };
    const { sharedHttpScorer } = await import('../../client/scorer/http-scorer.ts');
    const client = await openClient(address, protocol, { ...options, pace });
    return { scorer: sharedHttpScorer(client), close: () => client.close() };
  }
  if (values.protocol !== defaultProtocol) throw noService(values.protocol);
  // Loaded only when it is needed.
  const { ModelScorer } = await import('../../models/local/model-scorer.ts');
  const scorer = await ModelScorer.open({ home: address.home, threads, maxRowsPerSecond, sharedPace });
  return { scorer, close: () => scorer.close() };
}

/** Opens what predicts, and closes it afterwards. @throws as `openPredictor` */
export const withScorer = <T>(
  options: ScorerOptions,
  use: (scorer: SharedScorer) => Promise<T>,
): Promise<T> => thenClosed(openPredictor(options), ({ scorer }) => use(scorer));
