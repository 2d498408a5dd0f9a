import { type LockedOutput, lockOutput } from '../../runs/paths/lock-paths.ts';
import { runFilesOf } from '../../runs/paths/run-files.ts';
import type { UsedFile } from '../../storage/local/used-file.ts';
import type { Target } from '../../storage/target.ts';
import type { RunJob } from './run-job.ts';

/**
 * Locks the file of --metrics, if there is one.
 *
 * @throws RowcastError `same_output` or `output_is_input` if the run uses it otherwise; `locked`, `unwritable_output`
 */
export async function lockMetrics({ values, inputs, places }: RunJob): Promise<LockedOutput | undefined> {
  const { metrics, output, rejects, summary, private: isPrivate } = values;
  if (metrics === undefined) return undefined;
  const run = output === '-' ? undefined : runFilesOf(output, rejects);
  const outputs = [output, rejects, summary, run?.rejects, run?.partial, run?.checkpoint, run?.lock];
  const used: UsedFile[] = [
    ...inputs.map(at => ({ at, what: 'the input', option: '--metrics' })),
    ...outputs.flatMap(at => (at === undefined ? [] : [{ at, what: 'another output', option: '--metrics' }])),
  ].filter(({ at }) => at !== '-');
  return lockOutput(metrics, undefined, { reads: [...(places.reads ?? []), ...used], isPrivate });
}

/** Locks what belongs to several runs together; each locks its own files. */
export async function lockSummary({
  values: { summary, private: isPrivate },
  places: { reads },
}: RunJob): Promise<{ summary: Target | undefined; release(): Promise<void> }> {
  if (summary === undefined) return { summary: undefined, release: async () => {} };
  const { target, release } = await lockOutput(summary, undefined, { reads, isPrivate });
  return { summary: target, release };
}
