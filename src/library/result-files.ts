import type { RunObserver } from '../runs/observer.ts';
import { lineageFile, metricsFile, resultFile } from '../runs/observers/result-file.ts';
import { summaryFile } from '../runs/observers/summary-file.ts';
import { type LockedOutput, lockOutput } from '../runs/paths/lock-paths.ts';
import { runFilesOf } from '../runs/paths/run-files.ts';
import type { RunJob } from '../runs/run.ts';
import type { UsedFile } from '../storage/target.ts';

/** The files that a run writes besides its rows. When the summary is there, so are the others. */
export function resultFiles(job: RunJob): RunObserver[] {
  const { metrics, summaryHtml, lineage, private: isPrivate } = job.values;
  const { backends } = job;
  const files: RunObserver[] = [];
  const others: string[] = [];
  const add = (path: string | undefined, option: string, make: typeof metricsFile): void => {
    if (path === undefined) return;
    const reads = [...(job.paths.reads ?? []), ...filesOf(job, option, [...others])];
    files.push(
      make((): Promise<LockedOutput> => lockOutput(path, undefined, { reads, isPrivate, backends })),
    );
    others.push(path);
  };
  add(metrics, '--metrics', metricsFile);
  add(summaryHtml, '--summary-html', htmlFile);
  add(lineage, '--lineage', lineageFile);
  return [...files, summaryFile(job.paths)];
}

/** What else the run reads and writes. */
function filesOf(
  { values: { output, rejects, summary }, inputs }: RunJob,
  option: string,
  others: readonly string[],
): UsedFile[] {
  const run = output === '-' ? undefined : runFilesOf(output, rejects);
  const outputs = [
    output,
    rejects,
    summary,
    run?.rejects,
    run?.partial,
    run?.checkpoint,
    run?.lock,
    ...others,
  ];
  return [
    ...inputs.map(at => ({ at, what: 'the input', option })),
    ...outputs.flatMap(at => (at === undefined ? [] : [{ at, what: 'another output', option }])),
  ].filter(({ at }) => at !== '-');
}

/** Milliseconds between two points of the timeline. */
const POINT_MS = 250;

/** Writes the page of --summary-html, with a timeline of the run. */
function htmlFile(lock: () => Promise<LockedOutput>): RunObserver {
  let timer: NodeJS.Timeout | undefined;
  const file = resultFile(async run => {
    // Loaded only when it is needed.
    const { summaryPage } = await import('../web/run-summary/summary-page.ts');
    const { Timeline } = await import('../runs/summary/timeline.ts');
    const timeline = new Timeline();
    const addPoint = (): void => timeline.add(run.seconds, run.sample());
    const locked = await lock();
    timer = setInterval(addPoint, POINT_MS).unref();
    return {
      ...locked,
      text(summary) {
        addPoint();
        return [summaryPage(summary, timeline.points)];
      },
    };
  });
  return {
    ...file,
    close() {
      clearInterval(timer);
      return file.close();
    },
  };
}
