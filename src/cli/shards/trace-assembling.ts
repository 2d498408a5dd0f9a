import type { RunTelemetry } from '../../runs/observers/telemetry/run-telemetry.ts';
import type { RunJob } from '../../runs/run.ts';
import { RunRecord } from '../../runs/run-record.ts';
import type { ShardPlan } from '../../shards/folder/plan-shape.ts';
import type { Context } from '../context.ts';
import { beginTelemetry } from '../score/run-telemetry.ts';
import { afterSignal } from '../score/until-signal.ts';
import { FollowedRun } from './followed-run.ts';

/** Traces and metrics of joining the parts of a run. */
export interface TracedAssembling {
  run: RunTelemetry;
  /** The run has this record from now on. */
  follow(record: RunRecord): void;
  /** @param stop aborted by a signal */
  close(stop: AbortSignal): Promise<void>;
}

/** Begins to send them, in the trace of the command if it does more than that; undefined if nothing is sent. */
export async function traceAssembling(
  context: Context,
  { names }: RunJob,
  plan: ShardPlan,
): Promise<TracedAssembling | undefined> {
  const followed = new FollowedRun(new RunRecord({ names }), { 'rowcast.plan': plan.id });
  const follow = (record: RunRecord): void => followed.follow(record);
  if (context.telemetry !== undefined) {
    const run = context.telemetry.begin(followed, 'rowcast.assemble');
    return { run, follow, close: async () => run.end() };
  }
  const telemetry = await beginTelemetry(context, followed, { name: 'rowcast.run', parent: plan.trace });
  return (
    telemetry && {
      run: telemetry.run,
      follow,
      close: stop => telemetry.close(afterSignal(stop)),
    }
  );
}
