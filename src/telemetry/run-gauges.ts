import type { Meter } from '@opentelemetry/api';
import { runMetrics } from '../runs/run-metrics.ts';
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
      for (const { name, samples } of runMetrics(run.state)) {
        const gauge = gauges.get(name);
        if (gauge === undefined) continue;
        for (const { value, labels } of samples) result.observe(gauge, value, labels);
      }
    },
    [...gauges.values()],
  );
}
