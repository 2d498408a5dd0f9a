import { setTimeout as sleep } from 'node:timers/promises';
import { thisProcess } from '../../storage/local/locks/lock-holder.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import { LEASE_MS } from '../folder/next-attempt.ts';
import { readBeat } from '../work/read-beat.ts';
import type { LastAttempt } from './read-progress.ts';

const POLL_MS = 250;

/**
 * Finds an attempt whose worker is alive. Of another machine, that is one which sends a heartbeat before its lease is
 * over, so this may take that long; clocks are not compared.
 */
export async function stillBeating(
  folder: SharedFolder,
  attempts: readonly LastAttempt[],
): Promise<LastAttempt | undefined> {
  const { realm } = thisProcess();
  const here = attempts.find(({ holder, isAlive }) => isAlive && holder.realm === realm);
  const others = attempts.filter(({ holder, isAlive }) => isAlive && holder.realm !== realm);
  if (here !== undefined || others.length === 0) return here;
  for (const begun = performance.now(); performance.now() - begun < LEASE_MS; ) {
    await sleep(POLL_MS);
    for (const other of others) {
      const beat = await readBeat(folder, other.shard, other.attempt);
      if (beat !== undefined && beat.beat !== other.beat?.beat && beat.state !== 'ended') return other;
    }
  }
  return undefined;
}
