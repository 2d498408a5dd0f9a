import { type Counting, hasMisfits } from '../../drift/counted-column.ts';
import type { EarlierFigures } from '../../drift/earlier-figures.ts';
import { type DataFigures, figuresOf } from '../../drift/figures.ts';
import { checkMisfits, type MisfitLimits } from '../../drift/misfit-limits.ts';
import { RunTally } from '../../drift/run-tally.ts';
import { TallyLayout } from '../../drift/tally.ts';
import type { Checkpoint } from '../../runs/checkpoint/checkpoint.ts';
import type { Plan } from '../prepare.ts';

/** What a run counts in its data. */
export interface DataCounts {
  /** Over all processes of a resumed run. */
  tally: RunTally;
  counting: Counting;
  /** @param sum what was counted by several runs that count the same; by default, by this one */
  figures(classes: readonly string[], sum?: RunTally): DataFigures;
  /** @throws RowcastError as `checkMisfits` */
  check(limits: MisfitLimits, read: number, isEnd: boolean): void;
}

/** What decides what is counted, and with what it is compared. */
export interface CountOptions {
  /** What a new run counts; see `Counting`. */
  isDetailed: boolean;
  earlier: EarlierFigures | undefined;
}

/** @returns undefined if the run being resumed has not counted, so that the whole cannot be known */
export function dataCounts(
  { counted, report }: Pick<Plan, 'counted' | 'report'>,
  checkpoint: Pick<Checkpoint, 'tally'> | undefined,
  { isDetailed, earlier }: CountOptions,
): DataCounts | undefined {
  const before = checkpoint?.tally;
  if (checkpoint !== undefined && before === undefined) return undefined;
  // What was not counted from the beginning cannot be known for the whole.
  const isAll = before?.isDetailed ?? isDetailed;
  const counting = { columns: isAll ? counted : counted.filter(hasMisfits), isDetailed: isAll };
  const layout = new TallyLayout(counting);
  const tally = before === undefined ? RunTally.empty(layout) : RunTally.from(before, layout);
  const trainingRows = report.profile?.rows;
  return (
    tally && {
      tally,
      counting,
      figures: (classes, sum = tally) => figuresOf(sum, layout, { classes, trainingRows, earlier }),
      check: (limits, read, isEnd) => checkMisfits(limits, tally, layout, read, isEnd),
    }
  );
}
