import { RowcastError } from '../../base/errors.ts';
import type { RunValues } from '../../base/options/values/run-values.ts';
import { reportHash } from '../../runs/checkpoint/fingerprint.ts';
import { type DataTally, dataTally, TotalTally } from '../../runs/drift/data-tally.ts';
import type { DataFigures } from '../../runs/drift/figures.ts';
import { countRecords } from '../../runs/forecast/count-records.ts';
import { checkDrift } from '../../runs/observers/drift.ts';
import { writtenFile } from '../../runs/output/written-file.ts';
import { type RunColumns, runColumns } from '../../runs/run-columns.ts';
import { type EarlierOptions, earlierOf } from '../../runs/summary/earlier-of.ts';
import { prepare, type RowsAndScorer, type RowsPlan, type RowValues } from '../../scoring/prepare.ts';
import type { Scorer } from '../../scoring/scorer.ts';
import type { Backends } from '../../storage/backends.ts';
import type { Source } from '../../storage/source.ts';
import type { ShardPlan } from '../folder/plan-shape.ts';
import { openPlanned } from '../plan/make-plan.ts';
import type { FileParts } from './file-parts.ts';

/** What the shards have found in the data, by input and in all. */
export interface JoinedTally {
  /** By index of the input; undefined if they are not known. */
  figures: ReadonlyMap<number, DataFigures>;
  columns: ReadonlyMap<number, RunColumns>;
  total: DataFigures | undefined;
}

export const noTallies: JoinedTally = { figures: new Map(), columns: new Map(), total: undefined };

export interface JoinTalliesOptions extends Pick<EarlierOptions, 'last' | 'note'> {
  scorer: Scorer;
  stop: AbortSignal;
  backends: Backends;
}

/**
 * Adds up what the shards have counted, and compares it with the limits of a run.
 *
 * @param options those of the plan
 * @throws RowcastError `too_many_mismatches`, `too_many_unseen`, `too_much_drift`; `other_work` if limits were given,
 *   and the report is another one by now
 */
export async function joinTallies(
  files: readonly FileParts[],
  plan: ShardPlan,
  options: Omit<RunValues, 'input'>,
  { scorer, stop, backends, ...found }: JoinTalliesOptions,
): Promise<JoinedTally> {
  const earlier = await earlierOf({ ...options, ...found, backends });
  const total = new TotalTally();
  const figures = new Map<number, DataFigures>();
  const columns = new Map<number, RunColumns>();
  for (const { index, file, parts, rowCounts } of files) {
    const source = await openPlanned(file, options.encoding, backends);
    const writes = writtenFile({ ...options, output: file.output });
    const [prepared, firstRecords] = await prepareWithRecords(options, { source, scorer, writes, stop });
    const isSame = reportHash(prepared.report) === plan.report.hash;
    const tallies = parts.map(part => part.result.tally);
    const counts = isSame
      ? sumOfTallies(prepared, tallies, { earlier, isDetailed: false, firstRecords })
      : undefined;
    if (counts === undefined) checkUnlimited(options, plan);
    counts?.check(options, rowCounts, 'end');
    total.add(counts, plan.predictionType, rowCounts);
    const found = counts?.figures(plan.predictionType, rowCounts);
    checkDrift(options.maxDrift, found?.drift);
    if (found !== undefined) figures.set(index, found);
    if (isSame) columns.set(index, runColumns(prepared));
  }
  return { figures, columns, total: total.figures() };
}

/** The plan of an input and the records of its first batch. */
async function prepareWithRecords(
  values: RowValues,
  given: RowsAndScorer<Source>,
): Promise<[RowsPlan, Buffer | undefined]> {
  const { source } = given;
  try {
    const prepared = await prepare({ values }, given);
    const { first } = await countRecords({
      source,
      opened: prepared,
      options: prepared.values,
      contentSize: null,
      scorer: undefined,
      keep: 1,
      countedBytes: 1,
    });
    return [prepared, first[0]?.bytes];
  } finally {
    source.close();
  }
}

/** Undefined if any shard was not counted in the same way. */
function sumOfTallies(
  prepared: RowsPlan,
  tallies: readonly FileParts['parts'][number]['result']['tally'][],
  how: Parameters<typeof dataTally>[2],
): DataTally | undefined {
  let sum: DataTally | undefined;
  for (const tally of tallies) {
    const counts = tally === null ? undefined : dataTally(prepared, { tally }, how);
    if (counts === undefined) return undefined;
    if (sum === undefined) sum = counts;
    else if (sum.counting.isDetailed !== counts.counting.isDetailed) return undefined;
    else sum.tally.addRun(counts.tally);
  }
  return sum;
}

/** @throws RowcastError `other_work` */
function checkUnlimited(
  {
    maxMismatches = 'none',
    maxMissing = 'none',
    maxUnseen = 'none',
  }: Pick<RunValues, 'maxMismatches' | 'maxMissing' | 'maxUnseen'>,
  { report }: ShardPlan,
): void {
  if ([maxMismatches, maxMissing, maxUnseen].every(limit => limit === 'none')) return;
  throw new RowcastError(
    'other_work',
    `the report ${report.id} has changed, so that the values cannot be compared with --max-mismatches, --max-missing and --max-unseen`,
    { severity: 'stopped', hint: 'Restore the report, or discard the run with rowcast abort.' },
  );
}
