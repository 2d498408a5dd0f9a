import type { RunObserver } from '../runs/observer.ts';
import { resultFile } from '../runs/observers/result-file.ts';
import type { LockedOutput } from '../runs/paths/lock-paths.ts';
import { Timeline } from '../runs/summary/timeline.ts';

/** Milliseconds between two points of the timeline. */
const POINT_MS = 250;

/** Writes the page of --summary-html, with a timeline of the run. */
export function htmlFile(lock: () => Promise<LockedOutput>): RunObserver {
  const timeline = new Timeline();
  let timer: NodeJS.Timeout | undefined;
  const file = resultFile(async run => {
    // Loaded only when it is needed.
    const { summaryPage } = await import('../web/run-summary/summary-page.ts');
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
