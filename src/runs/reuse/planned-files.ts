import type { RunValues } from '../../base/options/values/run-values.ts';
import type { RowsPlan } from '../../scoring/prepare.ts';
import type { Identity } from '../../storage/source.ts';
import { fingerprintOf } from '../checkpoint/fingerprint.ts';
import { checkSentOnce, type EarlierFile, type EarlierSearch, earlierFiles } from './earlier-files.ts';
import { type MadeBy, madeBy } from './made-by.ts';

/**
 * What a run would reuse that is only planned.
 *
 * @returns undefined without --reuse, when only what --dedupe needs is checked
 * @throws RowcastError as `earlierFiles`
 */
export async function plannedFiles(
  options: RunValues,
  plan: RowsPlan,
  input: Identity,
  search: Omit<EarlierSearch, 'now' | 'planned' | 'startedAt'>,
): Promise<{ now: MadeBy; files: EarlierFile[] } | undefined> {
  if (options.dedupe) checkSentOnce(plan, '--dedupe');
  if (options.reuse === undefined) return undefined;
  const { report, layout, scorer } = plan;
  const { name: service, protocol } = scorer;
  const made = { input, service, protocol, report, rejects: undefined, options, layout };
  const now = madeBy(fingerprintOf(made), plan, options);
  const startedAt = new Date().toISOString();
  return { now, files: await earlierFiles(options, plan, { ...search, now, startedAt }) };
}
