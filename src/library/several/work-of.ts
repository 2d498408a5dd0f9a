import { unlessStopped } from '../../base/interrupted.ts';
import type { JobValues } from '../../base/options/values/run-values.ts';
import { reportHash } from '../../runs/checkpoint/fingerprint.ts';
import { outputOptionsOf } from '../../runs/several/output-options.ts';
import type { Scorer } from '../../scoring/scorer.ts';
import { reportOf } from '../runs-of.ts';

/**
 * What affects the outputs of all files: a finished one is scored again when it changes.
 *
 * @throws RowcastError if there is no such report
 */
export async function outputWorkOf(
  values: JobValues,
  scorer: Scorer,
  stop: AbortSignal,
): Promise<Record<string, string>> {
  const id = reportOf(values);
  const hash = reportHash(await unlessStopped(scorer.describe(id), stop));
  const { name: service, protocol } = scorer;
  return outputOptionsOf(values, { service, protocol, report: { id, hash } });
}
