import { lockOutput } from '../../runs/paths/lock-paths.ts';
import type { RunJob } from '../../runs/run.ts';
import type { Target } from '../../storage/target.ts';

/** Locks the summary of several runs together; each of them locks its own files. */
export async function lockTotal({
  values,
  backends,
  paths: { reads },
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
