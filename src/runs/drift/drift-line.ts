import { sanitize } from '../../base/sanitize.ts';
import type { DriftFigures } from './compare.ts';
import type { Change } from './stability-index.ts';

/** Changes that are named; a message is one line. */
const MAX_NAMED = 3;

interface Named {
  what: string;
  psi: number;
  change: Change;
  chance: number;
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
  const compared = changedSince(drift);
  const changed = compared.filter(({ change }) => change !== 'none');
  const all = drift.columns.length + Object.keys(drift.scores).length;
  const others = all - compared.length;
  const rest = others === 0 || compared.length === 0 ? '' : `; ${others} of ${all} cannot be compared`;
  const line = `compared with ${sanitize(drift.compared_with.summary)}: ${describe(compared, changed)}${rest}`;
  return { line, isWarning: changed.length > 0 || compared.length === 0, psi: compared[0]?.psi ?? null };
}

/** What can be compared, the largest change first. */
export function changedSince(drift: DriftFigures): Named[] {
  return [
    ...drift.columns.map(({ name, ...entry }) => ({ what: quoted(name), ...entry })),
    ...Object.entries(drift.scores).map(([name, entry]) => ({
      what: `the probability of ${quoted(name)}`,
      ...entry,
    })),
  ]
    .flatMap(({ what, psi, change, chance }) =>
      psi === null || change === null ? [] : [{ what, psi, change, chance: chance ?? 0 }],
    )
    .sort((a, b) => b.psi - a.psi);
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
