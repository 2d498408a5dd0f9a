import { Timeline } from '../../runs/summary/timeline.ts';
import { type LockedReport, lockReports, releaseAll } from './lock-reports.ts';
import { metricsText } from './metrics-text.ts';
import type { RunJob } from './run-job.ts';
import type { RunRecord, RunReport } from './run-record.ts';

/** Milliseconds between two looks at a run, for its timeline. */
const LOOK_MS = 250;

/**
 * Opens what a run writes besides its summary, and adds it to the record.
 *
 * @returns what releases it
 * @throws RowcastError as `lockReports`
 */
export async function openReports(job: RunJob, record: RunRecord): Promise<() => Promise<void>> {
  const locked = await lockReports(job);
  let timer: NodeJS.Timeout | undefined;
  const close = async (): Promise<void> => {
    clearInterval(timer);
    await releaseAll(locked);
  };
  const open = async ({ option, target }: LockedReport): Promise<RunReport> => {
    if (option === '--metrics') return { target, text: metricsText };
    if (option === '--lineage') {
      const { lineageText } = await import('../../runs/observers/lineage/lineage-text.ts');
      return { target, text: summary => lineageText(summary, record.columnsOf) };
    }
    // Loaded only when it is needed.
    const { summaryPage } = await import('../../web/run-summary/summary-page.ts');
    const timeline = new Timeline();
    const look = (): void => timeline.add(record.seconds, record.sample());
    timer = setInterval(look, LOOK_MS).unref();
    return {
      target,
      text(summary) {
        look();
        return summaryPage(summary, timeline.points);
      },
    };
  };
  try {
    // One after the other: if one fails, none is still being opened.
    const reports: RunReport[] = [];
    for (const report of locked) reports.push(await open(report));
    record.reports = reports;
  } catch (error) {
    await close();
    throw error;
  }
  return close;
}
