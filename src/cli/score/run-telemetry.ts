import { reasonOf } from '../../base/system-error.ts';
import { readVersion } from '../../base/version.ts';
import type { Telemetry, TelemetryOptions } from '../../runs/observers/telemetry/open-telemetry.ts';
import { type TelemetryObserver, telemetry } from '../../runs/observers/telemetry/run-observers.ts';
import type { ObservedRun } from '../../runs/observers/telemetry/run-telemetry.ts';
import { telemetrySettings } from '../../runs/observers/telemetry/telemetry-settings.ts';
import type { Context } from '../context.ts';
import { afterSignal } from './until-signal.ts';

/** Begins to send traces and metrics of a run, if the environment asks for them. It never fails. */
export async function beginTelemetry(
  { env, log }: Context,
  run: ObservedRun,
  how: Pick<TelemetryOptions, 'name' | 'measured' | 'parent'>,
): Promise<Telemetry | undefined> {
  const settings = telemetrySettings(env);
  if (settings === undefined) return undefined;
  let hasWarned = false;
  const warn = (reason: string): void => {
    if (hasWarned) return;
    hasWarned = true;
    log.warn({ event: 'telemetry_not_sent' }, `traces or metrics cannot be sent: ${reason}`);
  };
  for (const problem of settings.problems) warn(problem);
  if (!settings.traces && !settings.metrics) return undefined;
  try {
    // Loaded only when it is needed.
    const { openTelemetry } = await import('../../runs/observers/telemetry/open-telemetry.ts');
    return openTelemetry(settings, {
      version: readVersion(),
      run,
      ...how,
      warn,
    });
  } catch (error) {
    warn(reasonOf(error));
    return undefined;
  }
}

/** Sends traces and metrics of a run, if the environment asks for them. */
export const runTelemetry = (
  context: Context,
  name: TelemetryOptions['name'],
  stop: AbortSignal,
): TelemetryObserver =>
  telemetry(
    run => beginTelemetry(context, run, { name }),
    () => afterSignal(stop),
  );
