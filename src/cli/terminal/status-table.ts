import { counted, countOf, durationOf } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { StatusReport } from '../../runs/status/status-report.ts';
import { alignColumns } from './print.ts';

/** A pattern of outputs that are together no good run, and why. */
export interface RefusedOutputs {
  output: string;
  code: string;
  message: string;
}

/**
 * Describes the runs of a folder for people: their number by state, then those that are not finished or will be scored
 * again.
 *
 *     scored: 200 runs: 197 finished, 2 running, 1 stopped
 *
 *       scored/a.csv  running  31%  1,250,000 rows  212,000 rows/s  about 12 s left
 *       scored/b.csv  stopped       no rows yet                                      in/b.csv: … [missing_columns]
 */
export function describeRuns(
  folder: string,
  runs: readonly StatusReport[],
  refused: readonly RefusedOutputs[] = [],
): string {
  const states = (['finished', 'running', 'waiting', 'stopped'] as const).flatMap(state => {
    const count = runs.filter(run => run.state === state).length;
    return count === 0 ? [] : [`${counted(count)} ${state}`];
  });
  const open = runs.filter(run => run.state !== 'finished' || run.lost_rejects !== undefined).map(cellsOf);
  const table = open.length === 0 ? '' : `\n${alignColumns(withoutEmptyColumns(open))}`;
  const totals = refused.map(
    ({ output, code, message }) =>
      `  ${sanitize(`${output}: of all files together, ${message} [${code}]`)}\n`,
  );
  return `${sanitize(folder)}: ${countOf(runs.length, 'run')}: ${states.join(', ')}\n${totals.join('')}${table}`;
}

function withoutEmptyColumns(rows: readonly (readonly string[])[]): string[][] {
  return rows.map(row => row.filter((_, column) => rows.some(other => other[column] !== '')));
}

function cellsOf(run: StatusReport): string[] {
  const { output, state, fraction, rows, rows_per_second: rate, eta_seconds: left } = run;
  return [
    `  ${sanitize(output)}`,
    state,
    fraction === null ? '' : `${Math.floor(100 * fraction)}%`,
    rows !== undefined ? countOf(rows.read, 'row') : state === 'finished' ? '' : 'no rows yet',
    state !== 'running' || rate === null ? '' : `${counted(rate)} rows/s`,
    left === null ? '' : `about ${durationOf(left)} left`,
    noteOf(run),
  ];
}

function noteOf({ input, error, lost_rejects: lost }: StatusReport): string {
  if (lost !== undefined) return `its rejects file ${sanitize(lost)} is gone, so it is scored again`;
  return error === undefined ? '' : sanitize(`${input}: ${error.message} [${error.code}]`);
}
