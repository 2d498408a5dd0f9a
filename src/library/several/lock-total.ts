import { lockOutput } from '../../runs/paths/lock-paths.ts';
import type { Target } from '../../storage/target.ts';
import type { RunJob } from '../run-job.ts';

/** Locks the summary of several runs together; each of them locks its own files. */
export async function lockTotal({
  values,
  backends,
  places: { reads },
}: RunJob): Promise<{ summary: Target | undefined; release(): Promise<void> }> {
  const { summary, private: isPrivate } = values;
  if (summary === undefined) return { summary: undefined, release: async () => {} };
  const { target, release } = await lockOutput(summary, undefined, {
    reads,
    isPrivate,
    backends,
  });
  return { summary: target, release };
}
