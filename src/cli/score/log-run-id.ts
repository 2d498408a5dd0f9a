import type { RunObserver } from '../../runs/observer.ts';
import type { LogFields } from '../terminal/log.ts';

/** Gives every log line the id of the run, which changes if an unfinished run is set aside. */
export const logRunId = (logFields: LogFields): RunObserver => ({
  begin({ attempt }) {
    logFields.run_id = attempt.runId;
  },
  opened({ attempt }) {
    logFields.run_id = attempt.runId;
  },
  ended({ run_id }) {
    logFields.run_id = run_id;
  },
});
