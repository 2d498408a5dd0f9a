import { counted, countOf } from '../../base/number-text.ts';
import type { RunsTotal } from '../../runs/observers/total.ts';
import { LOCAL } from '../../scoring/scorer.ts';
import { type ProgressReport, progressText } from '../terminal/progress-text.ts';

/**
 * The line of totals of several files.
 *
 * @param seconds since the first file
 */
export function filesProgress(total: RunsTotal, service: string | null, seconds: number): ProgressReport {
  const { rowCounts, bytes, before } = total.stage;
  const { size, files } = total;
  const fractionOf = (part: number): number | undefined => (size === 0 ? undefined : part / size);
  const { inFlight } = total.sample();
  const { cells, fields } = progressText(
    { rowCounts, fraction: fractionOf(bytes), before: { ...before, fraction: fractionOf(before.bytes) } },
    seconds,
    service === LOCAL ? undefined : { inFlight },
  );
  const failed = files.failed === 0 ? '' : `${counted(files.failed)} failed`;
  return {
    name: `${counted(files.ended)}/${countOf(files.total, 'file')}`,
    cells: [...cells, failed],
    fields: { files, ...fields },
  };
}
