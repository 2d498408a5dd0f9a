import { classesOf, type PredictionType } from '../../base/contract/predictions.ts';
import { type Counting, isLimited } from '../../scoring/counting/counted-column.ts';
import { RunTally } from '../../scoring/counting/run-tally.ts';
import { TallyLayout } from '../../scoring/counting/tally.ts';
import type { Plan } from '../../scoring/prepare.ts';
import { type CountedRows, countedRows } from '../../scoring/row-counts.ts';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { checkUnrecognized, type UnrecognizedLimits } from '../guards/unrecognized-limits.ts';
import { describeCommonValues } from './common-values.ts';
import type { EarlierFigures } from './earlier-figures.ts';
import { type DataFigures, figuresOf } from './figures.ts';

/** What a run counts in its data. */
export interface DataTally {
  /** Over all processes of a resumed run. */
  tally: RunTally;
  counting: Counting;
  /**
   * @param rowCounts of what was counted
   * @param sum what was counted by several runs that count the same; by default, by this one
   */
  figures(predictionType: PredictionType | undefined, rowCounts: CountedRows, sum?: RunTally): DataFigures;
  /**
   * Checks what was counted so far.
   *
   * @param records that were counted since the last check; none at the end
   * @throws RowcastError as `checkUnrecognized`
   */
  check(limits: UnrecognizedLimits, rowCounts: CountedRows, records: Buffer | 'end'): void;
}

/** What decides what is counted, and with what it is compared. */
export interface DataTallyOptions {
  /** What a new run counts; see `Counting`. */
  isDetailed: boolean;
  earlier: EarlierFigures | undefined;
  /** Records with which the input begins, if they were read before; an error quotes some of their values. */
  firstRecords?: Buffer | undefined;
}

/** @returns undefined if the run being resumed has not counted, so that the whole cannot be known */
export function dataTally(
  { counted, report, layout: records, options }: Pick<Plan, 'counted' | 'report' | 'layout' | 'options'>,
  checkpoint: Pick<Checkpoint, 'tally'> | undefined,
  { isDetailed, earlier, firstRecords }: DataTallyOptions,
): DataTally | undefined {
  const before = checkpoint?.tally;
  if (checkpoint !== undefined && before === undefined) return undefined;
  // What was not counted from the beginning cannot be known for the whole.
  const isAll = before?.isDetailed ?? isDetailed;
  const counting = { columns: isAll ? counted : counted.filter(isLimited), isDetailed: isAll };
  const layout = new TallyLayout(counting);
  const tally = before === undefined ? RunTally.empty(layout) : RunTally.from(before, layout);
  if (tally === undefined) return undefined;
  const trainingRows = report.profile?.rows;
  const first = new FirstRecords(firstRecords);
  return {
    tally,
    counting,
    figures(predictionType, rowCounts, sum = tally) {
      const rows = countedRows(rowCounts);
      return figuresOf(sum, layout, { rows, classes: countedClasses(predictionType), trainingRows, earlier });
    },
    check(limits, rowCounts, latest) {
      const isEnd = latest === 'end';
      checkUnrecognized(limits, tally, layout, countedRows(rowCounts), isEnd, (column, kind) => {
        const known = Buffer.concat(isEnd ? first.records : [...first.records, latest]);
        return describeCommonValues(known, column, kind, { layout: records, nulls: options.nulls });
      });
      if (!isEnd) first.add(latest);
    },
  };
}

/** The classes whose probabilities are counted; labels and numbers are not. */
const countedClasses = (predictionType: PredictionType | undefined): readonly string[] | null =>
  predictionType === undefined || predictionType.kind === 'distribution' ? classesOf(predictionType) : null;

/** Copies of the records with which a run begins: those of a short run are needed at its end. */
class FirstRecords {
  readonly records: Buffer[];
  #bytes = 0;

  constructor(records: Buffer | undefined) {
    this.records = records === undefined ? [] : [records];
  }

  add(records: Buffer): void {
    if (this.#bytes + records.length > MAX_FIRST_BYTES) return;
    this.#bytes += records.length;
    this.records.push(Buffer.from(records));
  }
}

/** More than a run of fewer than 1,000 rows usually has, for which percentages are checked at the end only. */
const MAX_FIRST_BYTES = 1 << 18;
