import type { ObservedRun } from '../../runs/observers/telemetry/run-telemetry.ts';
import type { RunRecord } from '../../runs/run-record.ts';
import type { Summary } from '../../runs/summary/summary.ts';

/** What traces and metrics say about a run in shards, whose record may be replaced by that of a later step. */
export class FollowedRun implements ObservedRun {
  readonly attributes: NonNullable<ObservedRun['attributes']>;
  #record: RunRecord;

  constructor(record: RunRecord, attributes: FollowedRun['attributes']) {
    this.#record = record;
    this.attributes = attributes;
  }

  get state(): Summary {
    return this.#record.state;
  }

  follow(record: RunRecord): void {
    this.#record = record;
  }
}
