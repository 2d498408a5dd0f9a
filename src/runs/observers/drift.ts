import { type DriftLine, driftLine } from '../drift/drift-line.ts';
import type { RunObserver, RunView } from '../observer.ts';

/**
 * Names what has changed most since the run of --compare.
 *
 * @param onLine called with it
 */
export const drift = (onLine: (line: DriftLine) => void = () => {}): RunObserver => ({
  scored(run, result) {
    const line = result && noteDrift(run);
    if (line !== undefined) onLine(line);
  },
});

/** Adds a change to the warnings of the summary. @returns undefined without a comparison */
export function noteDrift(run: Pick<RunView, 'figures' | 'warn'>): DriftLine | undefined {
  const found = run.figures()?.drift;
  if (!found) return undefined;
  const line = driftLine(found);
  if (line.isWarning) run.warn({ code: 'drift', message: line.line });
  return line;
}
