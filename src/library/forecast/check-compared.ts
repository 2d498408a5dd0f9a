import { stat } from 'node:fs/promises';
import type { JobValues } from '../../base/options/values/run-values.ts';
import { type EarlierOptions, earlierOf } from '../../runs/summary/earlier-of.ts';
import { checkApart } from '../../storage/local/distinct-files.ts';
import { comparedFiles } from '../run-memory.ts';

type Written = 'output' | 'rejects' | 'summary' | 'summaryHtml' | 'metrics' | 'lineage';

/**
 * Checks the run of --compare as a run does, without writing anything.
 *
 * @throws RowcastError `output_is_input` if the run would replace its summary
 */
export async function checkCompared(
  values: Pick<JobValues, Written | 'compare' | 'maxDrift'>,
  found: Omit<EarlierOptions, 'compare' | 'maxDrift'>,
): Promise<void> {
  await earlierOf({ ...values, ...found });
  const { output, rejects, summary, summaryHtml, metrics, lineage } = values;
  for (const at of [output, rejects, summary, summaryHtml, metrics, lineage]) {
    // What does not exist is not the file that was read, and its folder may be made by the run.
    if (at === undefined || at === '-' || !(await stat(at).catch(() => undefined))) continue;
    await checkApart(comparedFiles(values), [{ at, what: 'an output', option: '' }]);
  }
}
