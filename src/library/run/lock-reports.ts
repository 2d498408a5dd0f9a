import { type LockedOutput, lockOutput } from '../../runs/paths/lock-paths.ts';
import { runFilesOf } from '../../runs/paths/run-files.ts';
import type { UsedFile } from '../../storage/local/used-file.ts';
import type { Target } from '../../storage/target.ts';
import type { RunJob } from './run-job.ts';

/** A file that a run writes besides its summary. */
export interface LockedReport extends LockedOutput {
  option: ReportOption;
}

const options = [
  ['--metrics', 'metrics'],
  ['--summary-html', 'summaryHtml'],
  ['--lineage', 'lineage'],
] as const;
export type ReportOption = (typeof options)[number][0];

/**
 * Locks the files of --metrics, --summary-html and --lineage.
 *
 * @throws RowcastError `same_output` or `output_is_input` if the run uses one otherwise; `locked`, `unwritable_output`
 */
export async function lockReports(job: RunJob): Promise<LockedReport[]> {
  const locked: LockedReport[] = [];
  const { values, places } = job;
  try {
    for (const [option, name] of options) {
      const path = values[name];
      if (path === undefined) continue;
      const reads = [...(places.reads ?? []), ...filesOf(job, option, locked)];
      locked.push({ option, ...(await lockOutput(path, undefined, { reads, isPrivate: values.private })) });
    }
    return locked;
  } catch (error) {
    await releaseAll(locked);
    throw error;
  }
}

/** Releases all, even if that fails for one. */
export async function releaseAll(locked: readonly LockedReport[]): Promise<void> {
  const released = await Promise.allSettled(locked.map(({ release }) => release()));
  for (const end of released) if (end.status === 'rejected') throw end.reason;
}

/** What else the run reads and writes. */
function filesOf(
  { values: { output, rejects, summary }, inputs }: RunJob,
  option: ReportOption,
  locked: readonly LockedReport[],
): UsedFile[] {
  const run = output === '-' ? undefined : runFilesOf(output, rejects);
  const outputs = [output, rejects, summary, run?.rejects, run?.partial, run?.checkpoint, run?.lock];
  return [
    ...inputs.map(at => ({ at, what: 'the input', option })),
    ...[...outputs, ...locked.map(({ target }) => target.path)].flatMap(at =>
      at === undefined ? [] : [{ at, what: 'another output', option }],
    ),
  ].filter(({ at }) => at !== '-');
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
