import type { Client } from '../../client/client.ts';
import type { Wire } from '../../contract/wire-names.ts';
import type { LocalScorer } from '../../local/local-scorer.ts';
import type { Address } from '../choose-service.ts';
import { withClient } from '../connect.ts';
import type { Context } from '../context.ts';
import type { ScoreValues } from './score-values.ts';

/** Opens the scorer of a run, and closes it afterwards. */
export async function withScorer<T>(
  { values, address, stop }: { values: ScoreValues; address: Address; stop: AbortSignal },
  { env, log }: Context,
  use: (scorer: Client | LocalScorer) => Promise<T>,
): Promise<T> {
  const { concurrency, maxRequestsPerSecond, maxRowsPerSecond, maxOutage, threads } = values;
  if (address.kind === 'remote') {
    const wire = values.wire as Partial<Wire> | undefined; // a definition's, which its schema checked
    const pace = { concurrency, maxRequestsPerSecond, maxRowsPerSecond, maxOutage };
    return withClient(address, { values, pace, wire, env, log, stop }, use);
  }
  // Loaded only when it is needed.
  const { LocalScorer } = await import('../../local/local-scorer.ts');
  const scorer = await LocalScorer.open({ home: address.home, threads, maxRowsPerSecond });
  try {
    return await use(scorer);
  } finally {
    await scorer.close();
  }
}
