import type { Logger } from 'pino';
import { sanitize } from '../../base/sanitize.ts';
import { reasonOf } from '../../base/system-error.ts';
import type { RunRecord } from '../../library/run/run-record.ts';
import type { Environment } from '../../library/service/choose-service.ts';
import { lineageSettings } from '../../runs/observers/lineage/lineage-settings.ts';
import type { EventOptions } from '../../runs/observers/lineage/run-events.ts';

/** Sends the events of runs to the endpoint of the environment. It never fails. */
export interface Lineage {
  /** The columns of the run are known. */
  started(record: RunRecord): void;
  /** The run has ended, or was skipped. */
  ended(record: RunRecord): void;
  /** @param over ends the waiting for what is being sent, if it is aborted meanwhile */
  close(over: AbortSignal): Promise<void>;
}

/** @returns undefined if nothing is to be sent */
export async function beginLineage({
  env,
  log,
}: {
  env: Environment;
  log: Logger;
}): Promise<Lineage | undefined> {
  const settings = lineageSettings(env);
  let hasWarned = false;
  const warn = (reason: string): void => {
    if (hasWarned) return;
    hasWarned = true;
    log.warn({ event: 'lineage_not_sent' }, `lineage events cannot be sent: ${sanitize(reason)}`);
  };
  if (settings.problem !== undefined) warn(settings.problem);
  if (settings.endpoint === undefined) return undefined;
  // Loaded only when they are needed.
  const { LineageSender } = await import('../../runs/observers/lineage/lineage-sender.ts');
  const { endEvent, startEvent } = await import('../../runs/observers/lineage/run-events.ts');
  const sender = new LineageSender(settings.endpoint, warn);
  const started = new Set<RunRecord>();
  const optionsOf = ({ columnsOf }: RunRecord): EventOptions => ({ ...settings, columnsOf });
  const unlessFailing = (act: () => void): void => {
    try {
      act();
    } catch (error) {
      warn(reasonOf(error));
    }
  };
  const start = (record: RunRecord): void => {
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
