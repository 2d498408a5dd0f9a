import { counted } from '../../library/numbers.ts';
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
    onReject: rejectLines(record.names.input, output === '-' && rejects === undefined, (fields, line) =>
      log.warn(fields, line),
    ),
    onLongField(field) {
      const [fields, message] = longFieldLine(input === '-' ? 'stdin' : input, field);
      log.warn({ event: 'long_field', ...fields }, message);
    },
    onResume({ row, accounts }) {
      telemetry?.resumed(accounts.batches);
      log.info({ event: 'run_resumed', row }, `resuming at row ${counted(row)} from the last checkpoint`);
    },
    onSuspend({ row }) {
      progress.close();
      const resume = commandLine === '' ? '' : `; to resume, run: ${commandLine}`;
      log.info(
        { event: 'run_suspended', row, ...(commandLine !== '' && { command: commandLine }) },
        `checkpoint saved at row ${counted(row - 1)}${resume}`,
      );
    },
    onScored: () => progress.close(),
    onUnknownValues: line => log.warn({ event: 'unknown_values' }, line),
  };
}
