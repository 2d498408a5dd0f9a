import { countedRows } from '../../scoring/row-counts.ts';
import { dataWarning } from '../drift/unrecognized-line.ts';
import type { RunObserver, RunView } from '../observer.ts';

/**
 * Warns about values that the model does not know: a run is never silent about them.
 *
 * @param onLine called with the warning
 */
export const unknownValues = (onLine: (line: string) => void = () => {}): RunObserver => ({
  scored(run, result) {
    const line = result && noteUnknownValues(run);
    if (line !== undefined) onLine(line);
  },
});

/** Adds the warning to the summary. @returns undefined if there is nothing to warn about */
export function noteUnknownValues(
  run: Pick<RunView, 'attempt' | 'columnsOf' | 'figures' | 'rowCounts' | 'warn'>,
): string | undefined {
  const figures = run.figures();
  const absent = run.columnsOf(run.attempt.runId)?.absent ?? [];
  const line = dataWarning(figures, countedRows(run.rowCounts), absent);
  if (line !== undefined) run.warn({ code: 'unknown_values', message: line });
  return line;
}
