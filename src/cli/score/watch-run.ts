import type { LongField } from '../../formats/csv/records/long-field.ts';
import type { Attempt } from '../../runs/attempt.ts';
import type { ResumePoint } from '../../runs/output/output.ts';
import type { RunObserver, RunProgress } from '../../scoring/observer.ts';
import type { Context } from '../context.ts';
import { longFieldLine } from '../long-field-line.ts';
import { rejectLines } from '../reject-lines.ts';
import { LOCAL } from '../service.ts';
import { counted } from '../terminal/numbers.ts';
import type { Progress } from '../terminal/progress.ts';
import { runReport } from '../terminal/progress-text.ts';
import type { Scoring } from './score-values.ts';

/** Keeps the record up to date and logs events. */
export function watchRun(
  { log, logFields, commandLine }: Context,
  { values: { output, rejects }, input, record, stop }: Scoring,
  progress: Progress,
): RunObserver {
  return {
    stop,
    onBegin: (attempt: Attempt) => {
      record.attempt = attempt;
      logFields.run_id = attempt.runId;
    },
    onProgress: (now: RunProgress) => {
      record.accounts = now.accounts;
      record.classes = now.classes;
      record.figures = now.figures;
      record.kept = () => now.resumePoint()?.accounts;
      progress.show(seconds =>
        runReport(now, seconds, record.service === LOCAL ? undefined : record.statistics),
      );
    },
    onReject: rejectLines(record.names.input, output === '-' && rejects === undefined, (fields, line) =>
      log.warn(fields, line),
    ),
    onLongField: (field: LongField) => {
      const [fields, message] = longFieldLine(input === '-' ? 'stdin' : input, field);
      record.warnings.push({ code: 'long_field', message });
      log.warn({ event: 'long_field', ...fields }, message);
    },
    onResume: ({ row, accounts }: ResumePoint) => {
      record.resumedFrom = row;
      record.accounts = accounts;
      log.info({ event: 'run_resumed', row }, `resuming at row ${counted(row)} from the last checkpoint`);
    },
    onSuspend: ({ row, accounts }: ResumePoint) => {
      record.accounts = accounts;
      progress.close();
      log.info(
        { event: 'run_suspended', row, command: commandLine },
        `checkpoint saved at row ${counted(row - 1)}; to resume, run: ${commandLine}`,
      );
    },
  };
}
