import { counted, countOf } from '../../base/number-text.ts';
import type { Placed } from '../../runs/repair/place-rows.ts';
import { listOf } from './files-list.ts';

/** What became of the repair of an output, as `repair --json` prints it. */
export interface RepairOfFile {
  output: string;
  /** Null if there is no such file. */
  corrected: string | null;
  /** Whether rows are still rejected; null if that is not known, because of the error. */
  hasRejects: boolean | null;
  /** Null if nothing was repaired. */
  rows: Placed | null;
  error?: { code: string; message: string };
}

export interface PlacedOptions {
  /** How rows were compared, such as ` by its values`. */
  how: string;
  /** How many rows may stay rejected. */
  accepted: number;
}

export function describePlaced(
  output: string,
  { placed, already, left }: Placed,
  { how, accepted }: PlacedOptions,
): string {
  if (placed === 0 && left === 0) return `${output}: nothing is left to repair${beforeText(already)}`;
  const parts = [
    `${countOf(placed, 'row')} repaired in ${output}${how}`,
    ...(already > 0 ? [`${counted(already)} repaired before`] : []),
    left > 0 ? `${counted(left)} still rejected${leftText(left, accepted)}` : 'no rejects are left',
  ];
  return parts.join(', ');
}

/**
 * A row that can never be scored, such as the second half of a broken record, must not make the command fail for ever.
 */
const leftText = (left: number, accepted: number): string =>
  left <= accepted
    ? ', and given up'
    : `; to give ${left === 1 ? 'it' : 'them'} up, add --rejects-ok ${left}`;

const beforeText = (rows: number): string =>
  rows === 0 ? '' : `; ${countOf(rows, 'row')} ${rows === 1 ? 'was' : 'were'} repaired before`;

/**
 * Describes the repair of several outputs.
 *
 *     200 files: 2 repaired, 1 not corrected, 197 without rejects; 12 rows repaired, all rejects of 1 file are left
 *       not corrected: scored/a.csv
 *       correct the rows in OUTPUT.rejects, score that file to OUTPUT.corrected, and run the same command again
 */
export function describeRepaired(files: readonly RepairOfFile[]): string {
  const repaired = files.filter(({ rows }) => rows !== null);
  const failed = files.filter(({ error }) => error !== undefined);
  const uncorrected = files.filter(({ corrected, hasRejects }) => corrected === null && hasRejects === true);
  const without = files.length - repaired.length - failed.length - uncorrected.length;
  const parts = [
    [repaired.length, 'repaired'],
    [uncorrected.length, 'not corrected'],
    [failed.length, 'not repaired'],
    [without, 'without rejects'],
  ] as const;
  const counts = parts.filter(([count]) => count > 0).map(([count, what]) => `${counted(count)} ${what}`);
  const sum = (name: keyof Placed): number =>
    repaired.reduce((total, { rows }) => total + (rows?.[name] ?? 0), 0);
  const left =
    uncorrected.length === 0
      ? `${counted(sum('left'))} still rejected`
      : `${sum('left') === 0 ? '' : `${counted(sum('left'))} still rejected, and `}all rejects of ${countOf(uncorrected.length, 'file')} are left`;
  const rows = `${countOf(sum('placed'), 'row')} repaired, ${left}`;
  return [
    `${countOf(files.length, 'file')}: ${counts.join(', ')}; ${rows}`,
    ...listOf('not corrected', uncorrected.map(listedOf)),
    ...(uncorrected.length === 0
      ? []
      : [
          'correct the rows in OUTPUT.rejects, score that file to OUTPUT.corrected, and run the same command again',
        ]),
    ...listOf('not repaired', failed.map(listedOf)),
  ].join('\n  ');
}

const listedOf = ({ output, error }: RepairOfFile) => ({ path: output, code: error?.code });
