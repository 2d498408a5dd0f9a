import type { TestContext } from 'node:test';
import { startService } from '../../../src/server/server.ts';
import type { ServiceOptions } from '../../../src/server/service.ts';
import { train } from '../../../src/training/train.ts';
import type { Target } from './client.ts';
import { history, homeWith } from './history.ts';

let trained: Promise<string> | undefined;

/** A data directory with the reports "one" and "two", created once. */
export function trainedHome(): Promise<string> {
  trained ??= (async () => {
    const { home, historyFile } = await homeWith(history({ rows: 400 }));
    for (const id of ['one', 'two']) await train({ historyFile, predict: 'outcome', home, id });
    return home;
  })();
  return trained;
}

/** A service with its own key for that data directory, closed when the test ends. */
export async function serving(t: TestContext, options: Partial<ServiceOptions> = {}): Promise<Target> {
  const home = options.home ?? (await trainedHome());
  const key = 'key-of-a-test';
  const service = await startService({ home, host: '127.0.0.1', port: 0, key, ...options });
  t.after(() => service.close());
  return { url: service.url, key };
}

/** A persona that the reports of `trainedHome` can score. */
export const persona = { features: { 'monthly amount': 25.5, plan: 'Basic' } };
