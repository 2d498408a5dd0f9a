import { isDeepStrictEqual } from 'node:util';
import type { PredictionType } from '../../base/contract/predictions.ts';
import type { RunValues } from '../../base/options/values/run-values.ts';
import { sanitize } from '../../base/sanitize.ts';
import { withoutNulls } from '../../formats/columns/batch-columns.ts';
import { columnEncoderOf, type Unrecognized, unrecognizedOf } from '../../formats/columns/column-encoder.ts';
import type { Layout } from '../../formats/format.ts';
import { encodeValue } from '../../formats/json/write-bytes.ts';
import type { Batch } from '../../formats/records/batch.ts';
import { textOf } from '../../formats/records/fields.ts';
import { INPUT_START } from '../../formats/records/position.ts';
import { type CountedColumn, type Counting, isLimited } from '../../scoring/counting/counted-column.ts';
import { RunTally } from '../../scoring/counting/run-tally.ts';
import { TallyLayout } from '../../scoring/counting/tally.ts';
import type { RowsPlan } from '../../scoring/prepare.ts';
import { type CountedRows, countedRows, type RowCounts, sumOf } from '../../scoring/row-counts.ts';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { checkUnrecognized, type UnrecognizedLimits } from '../guards/unrecognized-limits.ts';
import type { EarlierFigures } from './compare.ts';
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

/**
 * Whether what was counted is written somewhere. A limit of missing values is also for columns of which nothing is
 * known.
 */
export const countsAll = ({
  summary,
  summaryHtml,
  metrics,
  compare,
  maxMissing = 'none',
}: Pick<RunValues, 'summary' | 'summaryHtml' | 'metrics' | 'compare' | 'maxMissing'>): boolean =>
  [summary, summaryHtml, metrics, compare].some(file => file !== undefined) || maxMissing !== 'none';

/** What decides what is counted, and with what it is compared. */
interface DataTallyOptions {
  /** What a new run counts; see `Counting`. */
  isDetailed: boolean;
  earlier: EarlierFigures | undefined;
  /** Records with which the input begins, if they were read before; an error quotes some of their values. */
  firstRecords?: Buffer | undefined;
}

/** @returns undefined if the run being resumed has not counted, so that the whole cannot be known */
export function dataTally(
  { counted, report, layout: records, values }: Pick<RowsPlan, 'counted' | 'report' | 'layout' | 'values'>,
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
  /** Copies of the records with which a run begins: those of a short run are needed at its end. */
  const first = firstRecords === undefined ? [] : [firstRecords];
  let firstBytes = 0;
  return {
    tally,
    counting,
    figures(predictionType, rowCounts, sum = tally) {
      const rows = countedRows(rowCounts);
      return figuresOf(sum, layout, { rows, predictionType, trainingRows, earlier });
    },
    check(limits, rowCounts, latest) {
      const isEnd = latest === 'end';
      checkUnrecognized(limits, tally, layout, countedRows(rowCounts), isEnd, (column, kind) => {
        const known = Buffer.concat(isEnd ? first : [...first, latest]);
        return describeCommonValues(known, column, kind, { layout: records, nulls: values.nulls });
      });
      if (isEnd || firstBytes + latest.length > MAX_FIRST_BYTES) return;
      firstBytes += latest.length;
      first.push(Buffer.from(latest));
    },
  };
}

/** More than a run of fewer than 1,000 rows usually has, for which percentages are checked at the end only. */
const MAX_FIRST_BYTES = 1 << 18;

/** Values that are shown, and characters of each. */
const MAX_VALUES = 3;
const MAX_CHARACTERS = 40;

interface ReadRecords {
  layout: Pick<Layout, 'records' | 'fieldReader'>;
  /** Values treated as missing, in addition to the empty one. */
  nulls: readonly string[];
}

/**
 * Describes the most common values of a kind in some records of an input.
 *
 * @param records whole records
 * @returns undefined if there is none
 */
export function describeCommonValues(
  records: Buffer,
  column: CountedColumn,
  kind: Unrecognized,
  { layout, nulls }: ReadRecords,
): string | undefined {
  const counts = new Map<string, number>();
  const readFields = layout.fieldReader();
  const empty = withoutNulls(nulls);
  for (const batch of batchesOf(records, layout)) {
    const fields = readFields(batch);
    empty(fields, column.index);
    for (let row = 0; row < fields.rows; row++) {
      const text = textOf(fields, row, column.index);
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
  }
  const isOfKind = recognizer(column, kind);
  const found = [...counts].filter(([text]) => isOfKind(text)).sort((a, b) => b[1] - a[1]);
  if (found.length === 0) return undefined;
  const shown = found.slice(0, MAX_VALUES).map(([text]) => quoted(text));
  return found.length === 1 ? `the most common is ${shown[0]}` : `the most common are ${shown.join(', ')}`;
}

function recognizer(column: CountedColumn, kind: Unrecognized): (text: string) => boolean {
  const { learned, type } = column;
  if (learned === undefined) return () => false;
  const encode = columnEncoderOf(learned);
  return text => {
    if (text === '') return false;
    const sent = JSON.parse(encodeValue(text, type));
    return unrecognizedOf(learned, sent, encode(sent)) === kind;
  };
}

/** In quotes, so that spaces can be seen. */
function quoted(text: string): string {
  const short = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text;
  return sanitize(JSON.stringify(short));
}

function* batchesOf(records: Buffer, layout: Pick<Layout, 'records'>): Generator<Batch> {
  const most = Number.MAX_SAFE_INTEGER;
  const reader = layout.records({
    file: '',
    start: INPUT_START,
    end: undefined,
    batchRows: most,
    batchBytes: () => most,
    maxRecordBytes: most,
  });
  yield* reader.push(records);
  yield* reader.end();
}

/** What several runs of one command have counted together. */
export class TotalTally {
  #total:
    | { sum: RunTally; counts: DataTally; predictionType: PredictionType | undefined; rowCounts: RowCounts }
    | undefined;
  /** Whether all runs have counted the same columns and predictions; otherwise there is no total. */
  #isWhole = true;

  /**
   * Adds a finished run.
   *
   * @param counts undefined if they are not known
   */
  add(counts: DataTally | undefined, predictionType: PredictionType | undefined, rowCounts: RowCounts): void {
    const total = this.#total;
    if (counts === undefined) this.#isWhole = false;
    else if (total === undefined)
      this.#total = { sum: counts.tally.copy(), counts, predictionType, rowCounts };
    else if (
      !isDeepStrictEqual(identityOf(counts, predictionType), identityOf(total.counts, total.predictionType))
    )
      this.#isWhole = false;
    else {
      total.sum.addRun(counts.tally);
      total.rowCounts = sumOf([total.rowCounts, rowCounts]);
    }
  }

  /** Undefined if there is no run, or no total of them. */
  figures(): DataFigures | undefined {
    if (!this.#isWhole || this.#total === undefined) return undefined;
    const { counts, predictionType, rowCounts, sum } = this.#total;
    return counts.figures(predictionType, rowCounts, sum);
  }
}

/** What must be the same to be added; where a column is in the input may differ. */
const identityOf = (
  { counting: { columns, isDetailed } }: DataTally,
  predictionType: PredictionType | undefined,
) => ({
  isDetailed,
  predictionType,
  columns: columns.map(({ name, learned, edges, levels }) => ({ name, learned, edges, levels })),
});
