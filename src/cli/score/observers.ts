import { resultFiles } from '../../library/result-files.ts';
import { chooseService } from '../../library/service/choose-service.ts';
import type { RunObserver } from '../../runs/observer.ts';
import { drift } from '../../runs/observers/drift.ts';
import { unknownValues } from '../../runs/observers/unknown-values.ts';
import { runFilesOf } from '../../runs/paths/run-files.ts';
import type { RunControl } from '../../runs/run-control.ts';
import { checkStdout } from '../closed-stdout.ts';
import type { Context } from '../context.ts';
import { retryLines } from '../open-service.ts';
import { describeRejects } from '../repair-commands.ts';
import { progressMode } from '../terminal/progress.ts';
import { logDrift } from './log-drift.ts';
import { logRunId } from './log-run-id.ts';
import { logUnwritten } from './log-unwritten.ts';
import { progressLine } from './progress-line.ts';
import { type Job, nameOf } from './read-job.ts';
import { rejectLog } from './reject-log.ts';
import { lineageEvents } from './run-lineage.ts';
import { runLog } from './run-log.ts';
import { runTelemetry } from './run-telemetry.ts';

type Section = Readonly<Record<string, unknown>>;

/** Everything that watches the run of a command with a single input. */
export function observersOf(
  context: Context,
  defined: Section,
  job: Job,
  control: RunControl,
): RunObserver[] {
  const { env, flags, log, logFormat } = context;
  const { values } = job;
  const { output, rejects, report = '', maxOutage } = values;
  const [input = '-'] = job.inputs;
  const path = rejects ?? (output === '-' ? undefined : runFilesOf(output).rejects);
  const describe = (path: string): string =>
    describeRejects({ values, input, address: chooseService(context, defined), rejects: path, env });
  context.logFields.input = nameOf(job);
  return [
    logRunId(context.logFields),
    progressLine({ ...progressMode(flags), output, logFormat, log }, control.signal),
    runLog(context, {
      report,
      input,
      output,
      isPart: false,
      rejects: path === undefined ? undefined : { path, describe: () => describe(path) },
    }),
    ...(output === '-' && rejects === undefined ? [rejectLog(log, input === '-' ? 'stdin' : input)] : []),
    { retried: retryLines(log, maxOutage) },
    unknownValues(line => log.warn({ event: 'unknown_values' }, line)),
    drift(line => logDrift(log, line, false)),
    ...resultFiles(job),
    logUnwritten(log),
    { begin: (_, files) => checkStdout([files.output, files.rejects, files.summary]) },
    lineageEvents(context, control.signal),
    runTelemetry(context, 'rowcast.run', control.signal),
  ];
}
