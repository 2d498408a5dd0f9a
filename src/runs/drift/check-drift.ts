import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { DriftFigures } from './compare.ts';
import { changedSince } from './drift-line.ts';

/**
 * Stops a run whose data has changed too much since the run of --compare, when all its rows are scored and its output has not
 * appeared yet. An index that chance alone may give, in few rows, does not stop it.
 *
 * @param limit the largest population stability index; undefined for none
 * @param drift undefined or null if nothing was compared
 * @throws RowcastError `too_much_drift`
 */
export function checkDrift(limit: number | undefined, drift: DriftFigures | null | undefined): void {
  if (limit === undefined || !drift) return;
  const beyond = changedSince(drift).filter(({ psi, chance }) => psi > Math.max(limit, chance));
  if (beyond.length === 0) return;
  const named = beyond.slice(0, MAX_NAMED).map(({ what, psi }) => `${what} (PSI ${psi.toFixed(2)})`);
  const more = beyond.length - named.length;
  throw new RowcastError(
    'too_much_drift',
    `the data has changed, compared with ${sanitize(drift.compared_with.summary)}: ${named.join(', ')}${more === 0 ? '' : `, and ${more} more`}`,
    {
      severity: 'stopped',
      needsRestart: true,
      hint: 'Look at what has changed; if it is right, run the same command with a higher --max-drift, or without it, which resumes. After correcting the input, add --restart.',
    },
  );
}

const MAX_NAMED = 5;
