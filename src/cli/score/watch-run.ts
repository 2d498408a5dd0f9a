import { counted } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import { longFieldLine } from '../../library/run/long-field-line.ts';
import type { RunWatch } from '../../library/run/score-recorded.ts';
import type { Scoring } from '../../library/run/score-values.ts';
import type { Context } from '../context.ts';
import { rejectLines } from '../reject-lines.ts';
import { LOCAL } from '../service.ts';
import type { Progress } from '../terminal/progress.ts';
import { runReport } from '../terminal/progress-text.ts';

/** Logs events. */
export function watchRun(
  { log, logFields, commandLine, telemetry, lineage }: Context,
  { values: { output, rejects }, input, record }: Scoring,
  progress: Progress,
): RunWatch {
  const file = input === '-' ? 'stdin' : input;
  return {
    ...(telemetry !== undefined && { traceBatch: telemetry.traceBatch }),
    onBegin({ runId }) {
      logFields.run_id = runId;
      lineage?.started(record);
    },
    onProgress: now =>
      progress.show(seconds =>
        runReport(now, seconds, record.service === LOCAL ? undefined : record.statistics),
      ),
    onReject: rejectLines(file, output === '-' && rejects === undefined, (fields, line) =>
      log.warn(fields, line),
    ),
    onLongField(field) {
      const [fields, message] = longFieldLine(file, field);
      log.warn({ event: 'long_field', ...fields }, message);
    },
    onSetAside: () =>
      log.warn(
        { event: 'run_set_aside' },
        `${sanitize(output)}: the unfinished run is of different work, so it is kept as ${sanitize(output)}.partial.old until this one finishes, which begins with the first row`,
      ),
    onResume({ row, accounts }) {
      telemetry?.resumed(accounts.batches);
      log.info({ event: 'run_resumed', row }, `resuming at row ${counted(row)} from the last checkpoint`);
    },
    onSuspend({ row }, needsRestart) {
      progress.close();
      const isResumed = commandLine !== '' && !needsRestart;
      const resume = isResumed ? `; to resume, run: ${commandLine}` : '';
      log.info(
        { event: 'run_suspended', row, ...(isResumed && { command: commandLine }) },
        `checkpoint saved at row ${counted(row - 1)}${resume}`,
      );
    },
    onScored: () => progress.close(),
    onUnknownValues: line => log.warn({ event: 'unknown_values' }, line),
  };
}
