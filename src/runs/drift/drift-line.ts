import { sanitize } from '../../base/sanitize.ts';
import type { DriftFigures } from './compare.ts';
import type { Change } from './stability-index.ts';

/** Changes that are named; a message is one line. */
const MAX_NAMED = 3;

interface Named {
  what: string;
  psi: number;
  change: Change;
}

export interface DriftLine {
  line: string;
  isWarning: boolean;
  /** The highest index; null if nothing can be compared. */
  psi: number | null;
}

/**
 * Names what has changed most since an earlier run.
 *
 *     compared with last.json: significant change in "plan" (PSI 0.31); moderate change in the probability of "yes" (PSI 0.12)
 */
export function driftLine(drift: DriftFigures): DriftLine {
  const entries = [
    ...drift.columns.map(({ name, ...entry }) => ({ what: quoted(name), ...entry })),
    ...Object.entries(drift.scores).map(([name, entry]) => ({
      what: `the probability of ${quoted(name)}`,
      ...entry,
    })),
  ];
  const compared = entries
    .flatMap(({ what, psi, change }) => (psi === null || change === null ? [] : [{ what, psi, change }]))
    .sort((a, b) => b.psi - a.psi);
  const changed = compared.filter(({ change }) => change !== 'none');
  const others = entries.length - compared.length;
  const rest =
    others === 0 || compared.length === 0 ? '' : `; ${others} of ${entries.length} cannot be compared`;
  const line = `compared with ${sanitize(drift.compared_with.summary)}: ${describe(compared, changed)}${rest}`;
  return { line, isWarning: changed.length > 0 || compared.length === 0, psi: compared[0]?.psi ?? null };
}

function describe(compared: readonly Named[], changed: readonly Named[]): string {
  const [worst] = compared;
  if (worst === undefined) return 'nothing can be compared, because other ranges and categories were counted';
  if (changed.length === 0) return `no significant change; most in ${named(worst)}`;
  const shown = changed.slice(0, MAX_NAMED);
  const parts = (['significant', 'moderate'] as const).flatMap(degree => {
    const own = shown.filter(({ change }) => change === degree);
    return own.length === 0 ? [] : [`${degree} change in ${own.map(named).join(', ')}`];
  });
  const more = changed.length - shown.length;
  return [...parts, ...(more === 0 ? [] : [`and in ${more} more`])].join('; ');
}

const named = ({ what, psi }: Named): string => `${what} (PSI ${psi.toFixed(2)})`;
const quoted = (name: string): string => `"${sanitize(name)}"`;
