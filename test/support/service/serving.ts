import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startServer } from '../../../src/server/server.ts';
import type { RunningServiceOptions } from '../../../src/server/service.ts';
import { trainReport } from '../../../src/training/train.ts';
import { newFolder, sharedFolder } from '../folder.ts';
import { root } from '../root.ts';
import type { Scope } from '../shared.ts';
import type { Target } from './client.ts';
import { copyHome, history, homeWith } from './history.ts';

let trained: Promise<string> | undefined;

/** A data directory with the reports "one" and "two", created once; a test that changes it undoes that. */
export function trainedHome(): Promise<string> {
  trained ??= (async () => {
    if (!existsSync(kept)) await trainInto(kept);
    const home = await sharedFolder();
    await copyHome(kept, home);
    return home;
  })();
  return trained;
}

/** Training takes longer than most tests, so all test files share its result, until the next build. */
const kept = join(root, 'dist/trained-home');

async function trainInto(folder: string): Promise<void> {
  const { home, historyFile } = await homeWith(history({ rows: 400 }));
  for (const id of ['one', 'two']) await trainReport({ historyFile, predict: 'outcome', home, id });
  const copy = await mkdtemp(`${folder}.`);
  await copyHome(home, copy);
  // Another test file may have been faster.
  await rename(copy, folder).catch(() => rm(copy, { recursive: true }));
}

/** A data directory of the test's own with the same reports. */
export async function ownTrainedHome(t: Scope): Promise<string> {
  const home = await newFolder(t);
  await copyHome(await trainedHome(), home);
  return home;
}

/** A service with its own key for that data directory, closed when the test ends. */
export async function serving(t: Scope, options: Partial<RunningServiceOptions> = {}): Promise<Target> {
  const home = options.home ?? (await trainedHome());
  const key = 'key-of-a-test';
  const service = await startServer({ home, host: '127.0.0.1', port: 0, key, ...options });
  t.after(() => service.close());
  return { url: service.url, key };
}

/** A persona that the reports of `trainedHome` can score. */
export const persona = { features: { 'monthly amount': 25.5, plan: 'Basic' } };
