import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { Change, DriftFigures } from '../drift/compare.ts';
import { ONLY_NUMBER } from '../drift/figures.ts';
import type { RunObserver, RunView } from '../observer.ts';
import { noteUnknownValues } from './unknown-values.ts';

/** Notes what the data of a run says, if it has finished: a run is never silent about values that the model does not know. */
export const dataNotes = (
  onUnknown: (line: string) => void = () => {},
  onDrift: (line: DriftLine) => void = () => {},
): RunObserver => ({
  scored(run, result) {
    const unknown = result && noteUnknownValues(run);
    if (unknown !== undefined) onUnknown(unknown);
    const drift = result && noteDrift(run);
    if (drift !== undefined) onDrift(drift);
  },
});

/** Adds a change since the run of --compare to the warnings of the summary. @returns undefined without a comparison */
export function noteDrift(run: Pick<RunView, 'figures' | 'warn'>): DriftLine | undefined {
  const found = run.figures()?.drift;
  if (!found) return undefined;
  const line = driftLine(found);
  if (line.isWarning) run.warn({ code: 'drift', message: line.line });
  return line;
}

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
  const all = drift.columns.length + Object.keys(drift.scores).length + (drift.labels ? 1 : 0);
  const others = all - compared.length;
  const rest = others === 0 || compared.length === 0 ? '' : `; ${others} of ${all} cannot be compared`;
  const line = `compared with ${sanitize(drift.compared_with.summary)}: ${describe(compared, changed)}${rest}`;
  return { line, isWarning: changed.length > 0 || compared.length === 0, psi: compared[0]?.psi ?? null };
}

/** What can be compared, the largest change first. */
function changedSince(drift: DriftFigures): Named[] {
  return [
    ...drift.columns.map(({ name, ...entry }) => ({ what: quoted(name), ...entry })),
    ...Object.entries(drift.scores).map(([name, entry]) => ({ what: scoreText(name, entry.kind), ...entry })),
    ...(drift.labels ? [{ what: 'the predicted labels', ...drift.labels }] : []),
  ]
    .flatMap(({ what, psi, change, chance }) =>
      psi === null || change === null ? [] : [{ what, psi, change, chance: chance ?? 0 }],
    )
    .sort((a, b) => b.psi - a.psi);
}

function scoreText(name: string, kind: 'probability' | 'number'): string {
  if (kind === 'probability') return `the probability of ${quoted(name)}`;
  return name === ONLY_NUMBER ? 'the predicted numbers' : `the predicted ${quoted(name)}`;
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

/**
 * Stops a run whose data has changed too much since the run of --compare, when all its rows are scored and its output
 * has not appeared yet. An index that chance alone may give, in few rows, does not stop it.
 *
 * @param limit the largest population stability index; undefined for none
 * @param drift undefined or null if nothing was compared
 * @throws RowcastError `too_much_drift`
 */
export function checkDrift(limit: number | undefined, drift: DriftFigures | null | undefined): void {
  if (limit === undefined || !drift) return;
  const beyond = changedSince(drift).filter(({ psi, chance }) => psi > Math.max(limit, chance));
  if (beyond.length === 0) return;
  const shown = beyond.slice(0, MAX_REFUSED).map(named);
  const more = beyond.length - shown.length;
  throw new RowcastError(
    'too_much_drift',
    `the data has changed, compared with ${sanitize(drift.compared_with.summary)}: ${shown.join(', ')}${more === 0 ? '' : `, and ${more} more`}`,
    {
      severity: 'stopped',
      needsRestart: true,
      hint: 'Look at what has changed; if it is right, run the same command with a higher --max-drift, or without it, which resumes. After correcting the input, add --restart.',
    },
  );
}

const MAX_REFUSED = 5;
