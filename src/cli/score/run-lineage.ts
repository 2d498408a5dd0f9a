import type { Logger } from 'pino';
import type { RunRecord } from '../../library/run/run-record.ts';
import type { Environment } from '../../library/service/choose-service.ts';
import { LineageSender } from '../../lineage/lineage-sender.ts';
import { lineageSettings } from '../../lineage/lineage-settings.ts';
import { type EventOptions, endEvent, startEvent } from '../../lineage/run-events.ts';
import { sanitize } from '../../sanitize.ts';

/** Sends the events of runs to the endpoint of the environment. */
export interface Lineage {
  /** The columns of the run are known. */
  started(record: RunRecord): void;
  /** The run has ended, or was skipped. */
  ended(record: RunRecord): void;
  close(stop: AbortSignal): Promise<void>;
}

/** @returns undefined if nothing is to be sent */
export function beginLineage({ env, log }: { env: Environment; log: Logger }): Lineage | undefined {
  const settings = lineageSettings(env);
  let hasWarned = false;
  const warn = (reason: string): void => {
    if (hasWarned) return;
    hasWarned = true;
    log.warn({ event: 'lineage_not_sent' }, `lineage events cannot be sent: ${sanitize(reason)}`);
  };
  if (settings.problem !== undefined) warn(settings.problem);
  if (settings.endpoint === undefined) return undefined;
  const sender = new LineageSender(settings.endpoint, warn);
  const started = new Set<RunRecord>();
  const optionsOf = ({ columnsOf }: RunRecord): EventOptions => ({ ...settings, columnsOf });
  const start = (record: RunRecord): void => {
    started.add(record);
    sender.send(startEvent(record.state, optionsOf(record)));
  };
  return {
    started: start,
    ended(record) {
      const event = endEvent(record.state, optionsOf(record));
      if (event !== undefined) {
        if (!started.has(record)) start(record);
        sender.send(event);
      }
      started.delete(record);
    },
    close: stop => sender.close(stop),
  };
}
