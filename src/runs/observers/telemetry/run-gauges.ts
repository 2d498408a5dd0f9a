import type { Attributes, Meter } from '@opentelemetry/api';
import { runMetrics } from '../../summary/run-metrics.ts';
import type { ObservedRun } from './run-telemetry.ts';

/** Reports the metrics of a run, those of `--metrics`, whenever metrics are collected. */
export function observeRun(meter: Meter, run: ObservedRun): void {
  const gauges = new Map(
    runMetrics(run.state).map(({ name, unit, help }) => [
      name,
      meter.createObservableGauge(`rowcast.run.${name}`, { unit, description: help }),
    ]),
  );
  meter.addBatchObservableCallback(
    result => {
      const more = ofShard(run);
      for (const { name, samples } of runMetrics(run.state)) {
        const gauge = gauges.get(name);
        if (gauge === undefined) continue;
        for (const { value, labels } of samples) result.observe(gauge, value, { ...labels, ...more });
      }
    },
    [...gauges.values()],
  );
}

/** Plan and shard of a run in shards: several processes measure one output. */
const ofShard = ({ attributes = {} }: ObservedRun): Attributes => ({
  ...(attributes['rowcast.plan'] !== undefined && { plan: attributes['rowcast.plan'] }),
  ...(attributes['rowcast.shard'] !== undefined && { shard: attributes['rowcast.shard'] }),
});
