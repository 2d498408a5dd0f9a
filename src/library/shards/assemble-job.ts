import { runOptions } from '../../base/options/score.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import type { JobValues } from '../../base/options/values/run-values.ts';
import type { RunJob } from '../../runs/run.ts';
import { isSingle, type ShardPlan } from '../../shards/folder/plan-shape.ts';
import { backendsOf } from '../../storage/backends.ts';
import type { UsedFile } from '../../storage/target.ts';
import { namesOf, newJob } from '../runs-of.ts';

/** The options of a planned run; flags override those that do not determine its bytes. */
export const plannedValues = (
  { options, settings, report }: Pick<ShardPlan, 'options' | 'settings' | 'report'>,
  flags: Readonly<Record<string, unknown>>,
): JobValues & { report: string } => ({
  ...resolveValues(runOptions, flags, { ...options, ...settings }),
  report: report.id,
});

/** A planned run as one that a single process makes. */
export function plannedJob(plan: ShardPlan, planned: JobValues, reads: readonly UsedFile[]): RunJob {
  const { files, unchanged } = plan;
  const only = isSingle(plan) ? files[0] : undefined;
  const all = [...files, ...unchanged];
  const output = listOf(files.map(file => file.output));
  const values = { ...planned, output, rejects: only?.rejects ?? undefined };
  return newJob(values, {
    backends: backendsOf(planned),
    inputs: files.map(({ input }) => input),
    isMany: plan.ledger !== null,
    reads,
    outputAsWritten: plan.written,
    names: namesOf(
      { ...values, output: listOf(all.map(file => file.output)) },
      all.map(file => file.input),
    ),
  });
}

const listOf = (paths: readonly string[]): string => paths.join(', ');

/** Whether what was counted in the data is needed, so that the service must be asked for its report. */
export const needsCounts = (values: JobValues): boolean =>
  [values.maxMismatches, values.maxMissing, values.maxUnseen].some(
    limit => limit !== undefined && limit !== 'none',
  ) ||
  [values.summary, values.summaryHtml, values.metrics, values.lineage, values.compare].some(
    value => value !== undefined,
  );
