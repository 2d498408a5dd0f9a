import type { Logger } from 'pino';
import { sanitize } from '../../base/sanitize.ts';
import { reasonOf } from '../../base/system-error.ts';
import { readVersion } from '../../base/version.ts';
import type { Environment } from '../../library/service/choose-service.ts';
import type { RunObserver, RunView } from '../../runs/observer.ts';
import { lineageSettings } from '../../runs/observers/lineage/lineage-settings.ts';
import type { EventOptions } from '../../runs/observers/lineage/run-events.ts';
import type { Telemetry, TelemetryOptions } from '../../runs/observers/telemetry/open-telemetry.ts';
import { type TelemetryObserver, telemetry } from '../../runs/observers/telemetry/run-observers.ts';
import type { ObservedRun } from '../../runs/observers/telemetry/run-telemetry.ts';
import { telemetrySettings } from '../../runs/observers/telemetry/telemetry-settings.ts';
import { afterSignal } from './until-signal.ts';

/** The environment says what is sent and where to; the log that something could not be. */
interface Sending {
  env: Environment;
  log: Logger;
}

/** Sends the events of runs to the endpoint of the environment. It never fails. */
export interface Lineage {
  /** The columns of the run are known. */
  started(record: RunView): void;
  /** The run has ended, or was skipped. */
  ended(record: RunView): void;
  /** @param over ends the waiting for what is being sent, if it is aborted meanwhile */
  close(over: AbortSignal): Promise<void>;
}

/** @returns undefined if nothing is to be sent */
export async function beginLineage({ env, log }: Sending): Promise<Lineage | undefined> {
  const settings = lineageSettings(env);
  const warn = warnOnce(reason =>
    log.warn({ event: 'lineage_not_sent' }, `lineage events cannot be sent: ${sanitize(reason)}`),
  );
  if (settings.problem !== undefined) warn(settings.problem);
  if (settings.endpoint === undefined) return undefined;
  // Loaded only when they are needed.
  const { lineageSender } = await import('../../runs/observers/lineage/lineage-sender.ts');
  const { endEvent, startEvent } = await import('../../runs/observers/lineage/run-events.ts');
  const sender = lineageSender(settings.endpoint, warn);
  const started = new Set<RunView>();
  const optionsOf = ({ columnsOf }: RunView): EventOptions => ({ ...settings, columnsOf });
  const unlessFailing = (act: () => void): void => {
    try {
      act();
    } catch (error) {
      warn(reasonOf(error));
    }
  };
  const start = (record: RunView): void => {
    started.add(record);
    sender.send(startEvent(record.state, optionsOf(record)));
  };
  return {
    started: record => unlessFailing(() => start(record)),
    ended(record) {
      unlessFailing(() => {
        const event = endEvent(record.state, optionsOf(record));
        if (event === undefined) return;
        if (!started.has(record)) start(record);
        sender.send(event);
      });
      started.delete(record);
    },
    close: over => sender.close(over),
  };
}

/** A function that warns of the first failure only. */
function warnOnce(warn: (reason: string) => void): (reason: string) => void {
  let hasWarned = false;
  return reason => {
    if (!hasWarned) warn(reason);
    hasWarned = true;
  };
}

/**
 * Sends events, if the environment asks for them.
 *
 * @param isShared whether several runs use it, of which each sends its own
 */
export function lineageEvents(
  context: Sending,
  stop: AbortSignal,
  isShared = false,
): RunObserver & { readonly lineage: Lineage | undefined } {
  let lineage: Lineage | undefined;
  let begun: RunView | undefined;
  return {
    get lineage() {
      return lineage;
    },
    async begin(run) {
      begun = run;
      lineage = await beginLineage(context);
    },
    opened: run => (isShared ? undefined : lineage?.started(run)),
    async close() {
      if (begun !== undefined && !isShared) lineage?.ended(begun);
      await lineage?.close(afterSignal(stop));
    },
  };
}

/** Begins to send traces and metrics of a run, if the environment asks for them. It never fails. */
export async function beginTelemetry(
  { env, log }: Sending,
  run: ObservedRun,
  how: Pick<TelemetryOptions, 'name' | 'measured' | 'parent'>,
): Promise<Telemetry | undefined> {
  const settings = telemetrySettings(env);
  if (settings === undefined) return undefined;
  const warn = warnOnce(reason =>
    log.warn({ event: 'telemetry_not_sent' }, `traces or metrics cannot be sent: ${reason}`),
  );
  for (const problem of settings.problems) warn(problem);
  if (!settings.traces && !settings.metrics) return undefined;
  try {
    // Loaded only when it is needed.
    const { openTelemetry } = await import('../../runs/observers/telemetry/open-telemetry.ts');
    return openTelemetry(settings, { version: readVersion(), run, ...how, warn });
  } catch (error) {
    warn(reasonOf(error));
    return undefined;
  }
}

/** Sends traces and metrics of a run, if the environment asks for them. */
export const runTelemetry = (
  context: Sending,
  name: TelemetryOptions['name'],
  stop: AbortSignal,
): TelemetryObserver =>
  telemetry(
    run => beginTelemetry(context, run, { name }),
    () => afterSignal(stop),
  );
