import { type DriftLine, driftLine } from '../../runs/drift/drift-line.ts';
import type { RunRecord } from './run-record.ts';

/**
 * Says what has changed most since the run of --compare; a change is one of the summary's warnings.
 *
 * @returns undefined without a comparison
 */
export function noteDrift(record: RunRecord): DriftLine | undefined {
  const drift = record.figures()?.drift;
  if (!drift) return undefined;
  const found = driftLine(drift);
  if (found.isWarning) record.warnings.push({ code: 'drift', message: found.line });
  return found;
}
