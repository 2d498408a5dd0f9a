import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { PredictionType } from '../../base/contract/predictions.ts';
import type { Predicted } from '../../base/contract/schemas.ts';
import type { JobValues } from '../../base/options/values/run-values.ts';
import type { InputPlan } from '../../runs/forecast/plan-input.ts';
import { type EarlierOptions, earlierOf } from '../../runs/summary/earlier-of.ts';
import { checkApart } from '../../storage/local/distinct-files.ts';
import { comparedFiles } from '../run-memory.ts';

/** The free space of a folder that perhaps does not exist yet; null if it cannot be told. */
async function freeBytesOf(folder: string): Promise<number | null> {
  const found = await statfs(folder).catch(() => undefined);
  if (found !== undefined) return found.bavail * found.bsize;
  return dirname(folder) === folder ? null : freeBytesOf(dirname(folder));
}

/** What `score` would do, as `rowcast plan --json` prints it. Numbers of rows are estimates unless `is_exact`. */
export interface Plan {
  format: 1;
  report: string;
  service: string;
  rows: number;
  is_exact: boolean;
  /** Whether there may be many more: a large compressed input is not read to its end. */
  is_lower_bound: boolean;
  /** None with a local report. */
  requests: number;
  /** Upper bound of the output's size, uncompressed. */
  disk_bytes: number;
  /** Free bytes of the output's disk; null if the output goes elsewhere. */
  free_bytes: number | null;
  /** The rows that are sent, estimated by the first ones: the others are reused, or equal to them. */
  rows_sent: number;
  /** What the rows that are sent cost, by `pricePer1000`; null without it. */
  cost: number | null;
  /** What the other rows would cost; null without a price. */
  saved: number | null;
  /** The plan of each input. */
  inputs: PlannedInput[];
}

/** The plan of one input. */
export interface PlannedInput {
  input: string;
  columns: {
    sent: { name: string; type: string | null }[];
    /** Columns of the report that the input lacks. */
    missing: string[];
    not_sent: string[];
    /** Missing columns that have a similar name in the input. */
    did_you_mean: { wanted: string; found: string }[];
  };
  delimiter: string;
  quote: string | null;
  rows: number;
  is_exact: boolean;
  /** Whether there may be many more: a large compressed input is not read to its end. */
  is_lower_bound: boolean;
  batches: number;
  requests: number;
  /** What `reuse` and `dedupe` have found of the first rows; null without them. */
  sample: { rows: number; reused: number; equal: number } | null;
  disk_bytes: number;
  /** What `probe` requests have shown; null without them. */
  probe: {
    requests: number;
    rows: number;
    latency_ms: { min: number; max: number } | null;
    rows_per_second: number;
    /** Time for all rows, with one request at a time. */
    seconds: number;
    /** What the predictions consist of; null if no row was scored. */
    prediction: PredictionType | null;
    /** What is predicted for the first row; null if nothing is. */
    first_row: Predicted | null;
  } | null;
  /** The columns that are appended; null if it is not known what is predicted. */
  appends: string[] | null;
  /** Why the input cannot be scored. */
  error: { code: string; message: string; hint: string | null } | null;
}

/** @param output where the rows would go, or `-` */
export async function planOf(
  plans: readonly InputPlan[],
  { report, service, output }: { report: string; service: string; output: string },
  pricePer1000: number | undefined,
): Promise<Plan> {
  const sum = (of: (plan: InputPlan) => number): number => plans.reduce((total, plan) => total + of(plan), 0);
  const rows = sum(plan => plan.rows);
  const sent = sum(plan => plan.sent);
  const costOf = (count: number): number | null =>
    pricePer1000 === undefined ? null : (count / 1000) * pricePer1000;
  return {
    format: 1,
    report,
    service,
    rows,
    is_exact: plans.every(({ isExact }) => isExact),
    is_lower_bound: plans.some(({ isLowerBound }) => isLowerBound),
    requests: sum(plan => plan.requests),
    disk_bytes: sum(plan => plan.outputBytes),
    free_bytes: output === '-' ? null : await freeBytesOf(dirname(output)),
    rows_sent: sent,
    cost: costOf(sent),
    saved: costOf(rows - sent),
    inputs: plans.map(plannedInput),
  };
}

function plannedInput({ probe, problem, near, ...plan }: InputPlan): PlannedInput {
  const { delimiter = '', quote = 'none' } = plan.readAs;
  return {
    input: plan.input,
    columns: { sent: plan.matched, missing: plan.missing, not_sent: plan.unused, did_you_mean: near },
    delimiter,
    quote: quote === 'none' ? null : quote,
    rows: plan.rows,
    is_exact: plan.isExact,
    is_lower_bound: plan.isLowerBound,
    batches: plan.batches,
    requests: plan.requests,
    sample: plan.unsent,
    disk_bytes: plan.outputBytes,
    probe: probe && {
      requests: probe.requests,
      rows: probe.rows,
      latency_ms: probe.latency,
      rows_per_second: Math.round(probe.rowsPerSecond),
      seconds: plan.rows / probe.rowsPerSecond,
      prediction: probe.predictionType,
      first_row: probe.firstRow,
    },
    appends: plan.appends,
    error:
      problem === undefined
        ? null
        : { code: problem.code, message: problem.message, hint: problem.hint ?? null },
  };
}

type Written = 'output' | 'rejects' | 'summary' | 'summaryHtml' | 'metrics' | 'lineage';

/**
 * Checks the run of --compare as a run does, without writing anything.
 *
 * @throws RowcastError `output_is_input` if the run would replace its summary
 */
export async function checkCompared(
  values: Pick<JobValues, Written | 'compare' | 'maxDrift'>,
  found: Omit<EarlierOptions, 'compare' | 'maxDrift'>,
): Promise<void> {
  await earlierOf({ ...values, ...found });
  const { output, rejects, summary, summaryHtml, metrics, lineage } = values;
  for (const at of [output, rejects, summary, summaryHtml, metrics, lineage]) {
    // What does not exist is not the file that was read, and its folder may be made by the run.
    if (at === undefined || at === '-' || !(await stat(at).catch(() => undefined))) continue;
    await checkApart(comparedFiles(values), [{ at, what: 'an output', option: '' }]);
  }
}
