import { reportFolder } from '../../models/store/report-folder.ts';
import type { Quota } from '../quota/quota.ts';
import { sizeOfFolder } from '../quota/size-of-folder.ts';
import { Space } from '../quota/space.ts';
import { TrainingStore } from '../training-store.ts';

/** Counts the reports that were trained on the platform, by their ids. */
export async function countReports(home: string, quota: Quota): Promise<Space> {
  const space = new Space(quota, 'The report');
  // The newest first: a report belongs to whoever trained it last.
  for (const { status, report, by } of await new TrainingStore(home).list())
    if (status === 'finished') {
      space.begin(report, by);
      space.set(report, await sizeOfReport(home, report));
    }
  return space;
}

/** Counts a report that was just trained. */
export async function countReport(
  space: Space,
  home: string,
  { report, by }: { report: string; by: string },
): Promise<void> {
  const bytes = await sizeOfReport(home, report);
  // The report may have replaced one that was counted for another key.
  space.release(report);
  space.begin(report, by);
  space.set(report, bytes);
}

const sizeOfReport = (home: string, id: string): Promise<number> => sizeOfFolder(reportFolder(home, id));
