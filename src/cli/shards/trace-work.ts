import type { JobValues } from '../../base/options/values/run-values.ts';
import { namesOf } from '../../library/run-names.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import type { Telemetry } from '../../runs/observers/telemetry/open-telemetry.ts';
import type { ObservedRun } from '../../runs/observers/telemetry/run-telemetry.ts';
import { RunRecord } from '../../runs/run-record.ts';
import { sumOf } from '../../scoring/row-counts.ts';
import type { ShardPlan } from '../../shards/folder/plan-shape.ts';
import type { WorkObserver } from '../../shards/work/work-observer.ts';
import type { Context } from '../context.ts';
import { beginTelemetry } from '../score/run-telemetry.ts';
import { FollowedRun } from './followed-run.ts';

/** Traces and metrics of a worker, if the environment asks for them. */
export interface TracedWork {
  telemetry: Telemetry;
  /** Makes a span of each shard, in that of the worker. */
  observer: Pick<Required<WorkObserver>, 'within' | 'onProgress'>;
  /** How the work has ended. */
  end(error?: unknown): Promise<void>;
}

/**
 * Begins to send traces and metrics of a worker. The metrics are those of the shard that it scores.
 *
 * @param values of the plan
 */
export async function traceWork(
  context: Context,
  plan: ShardPlan,
  values: JobValues,
): Promise<TracedWork | undefined> {
  const newRecord = (input: string, output: string): RunRecord => {
    const record = new RunRecord({ names: namesOf({ ...values, output, report: plan.report.id }, [input]) });
    record.service = plan.service;
    record.predictionType = plan.predictionType;
    return record;
  };
  // The run gets its id when it is assembled.
  const ofPlan = { 'rowcast.plan': plan.id, 'rowcast.run_id': undefined };
  const listed = (name: 'input' | 'output'): string => plan.files.map(file => file[name]).join(', ');
  const whole = newRecord(listed('input'), listed('output'));
  let current: { record: RunRecord; run: ObservedRun } | undefined;
  const measured: ObservedRun = {
    get state() {
      return (current?.record ?? whole).state;
    },
    get attributes() {
      return current?.run.attributes ?? ofPlan;
    },
  };
  const run = new FollowedRun(whole, ofPlan);
  const telemetry = await beginTelemetry(context, run, {
    name: 'rowcast.work',
    measured,
    parent: plan.trace,
  });
  if (telemetry === undefined) return undefined;
  return {
    telemetry,
    observer: {
      onProgress(_, { rowCounts }) {
        if (current !== undefined) current.record.rowCounts = rowCounts;
      },
      async within({ shard, attempt }, use) {
        const file = plan.files[shard.file];
        const record = newRecord(file?.input ?? '', file?.output ?? '');
        const attributes = { ...ofPlan, 'rowcast.shard': shard.shard, 'rowcast.shard.attempt': attempt };
        const run = new FollowedRun(record, attributes);
        current = { record, run };
        const span = telemetry.run.begin(run, 'rowcast.shard');
        try {
          const scored = await span.within(() => use(span.traceBatch));
          record.rowCounts = scored.rowCounts;
          whole.rowCounts = sumOf([whole.rowCounts, scored.rowCounts]);
          await record.end('finished', ExitCode.done);
          return scored;
        } catch (error) {
          await record.fail(error);
          throw error;
        } finally {
          span.end();
        }
      },
    },
    async end(error) {
      if (error === undefined) await whole.end('finished', ExitCode.done);
      else await whole.fail(error);
    },
  };
}
