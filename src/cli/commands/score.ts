import { RowcastError } from '../../base/errors.ts';
import { Interrupted } from '../../base/interrupted.ts';
import { shardOptions, workersOption } from '../../base/options/shards.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { lockSummary } from '../../library/run/lock-reports.ts';
import { type Held, recordRefusal, recordRun } from '../../library/run/record-run.ts';
import { takeSummary } from '../../library/run/refused-summary.ts';
import { RunRecord } from '../../library/run/run-record.ts';
import { chooseService } from '../../library/service/choose-service.ts';
import type { Telemetry } from '../../runs/observers/telemetry/open-telemetry.ts';
import { lockRunPaths } from '../../runs/paths/lock-paths.ts';
import { resolveRunPaths } from '../../runs/paths/run-paths.ts';
import type { UsedFile } from '../../storage/local/used-file.ts';
import type { Context } from '../context.ts';
import { type Job, nameOf, readJob } from '../score/read-job.ts';
import { beginLineage } from '../score/run-lineage.ts';
import { AFTER_SIGNAL_MS, beginTelemetry } from '../score/run-telemetry.ts';
import { scoreReporting } from '../score/scoring.ts';
import { unwritten } from '../score/unwritten.ts';
import { LOCAL } from '../service.ts';
import { onSignals } from '../signals.ts';

/** Scores a CSV, or several. */
export const run = (context: Context): Promise<number> => runScore(context, {});

/**
 * Scores with the options of flags and definition.
 *
 * @param defined the `score` section of a definition; flags override it
 * @param reads files that the command reads in addition to the inputs and the key file
 */
export async function runScore(
  context: Context,
  defined: Readonly<Record<string, unknown>>,
  reads: readonly UsedFile[] = [],
): Promise<number> {
  const job = await readJob(context, defined, reads);
  if (resolveValues(workersOption, context.flags, defined).workers > 0 || wantsQueue(context))
    return (await import('../shards/score-workers.ts')).scoreWorkers(context, defined, job);
  checkNoShards({ ...defined, ...context.flags });
  const addressOf = () => chooseService(context, defined);
  if (!job.isMany)
    return withRecord(context, job, {
      lock: () => lockRunPaths(job.places),
      use: (observed, held, record, stop) => {
        const [input = '-'] = job.inputs;
        return scoreReporting(observed, { values: job.values, input, held, record, stop }, addressOf());
      },
    });
  // Loaded only when it is needed.
  const { scoreFiles } = await import('../score/score-files.ts');
  return withRecord(context, job, {
    lock: () => lockSummary(job),
    use: (observed, _, record, stop) => scoreFiles(observed, { job, address: addressOf(), record, stop }),
  });
}

/** Whether a queue is given; the rest of it is loaded only then. */
const wantsQueue = ({ flags, env }: Context): boolean =>
  flags.queue === undefined ? Boolean(env.ROWCAST_QUEUE) : flags.queue !== 'none';

/** @throws RowcastError `usage` */
function checkNoShards(given: Readonly<Record<string, unknown>>): void {
  const flag = Object.keys(shardOptions).find(name => given[name] !== undefined);
  // Who gives --workers 0 to a definition wants none.
  if (flag !== undefined && given.workers === undefined)
    throw new RowcastError('usage', `--${flag} has no effect without --workers or --queue`, {
      hint: 'Give --workers N; or write a plan for other machines: rowcast plan … --shards DIR.',
    });
}

interface LockedRun<H extends Held> {
  lock: () => Promise<H>;
  use: (context: Context, held: H, record: RunRecord, stop: AbortSignal) => Promise<number>;
}

/** Runs with locked files until a signal comes, and writes how it ended to the summary, whatever happens. */
async function withRecord<H extends Held>(
  context: Context,
  job: Job,
  { lock, use }: LockedRun<H>,
): Promise<number> {
  const { log, logFields } = context;
  let record: RunRecord | undefined;
  let telemetry: Telemetry | undefined;
  const lineage = await beginLineage(context);
  const signals = onSignals({
    onFirst: signal =>
      log.warn(
        { event: 'signal', signal },
        `${signal}: finishing ${record?.service === LOCAL ? 'the rows in progress' : 'in-flight requests'} (up to 10 s); ${signal === 'SIGINT' ? 'press Ctrl-C again' : 'send it again'} to exit now`,
      ),
    onSecond: signal => record?.failNow(new Interrupted(AbortSignal.abort(signal))),
  });
  const onExit = (code: number): void =>
    record?.failNow(new Error('the process ended before the run did'), code);
  process.on('exit', onExit);
  const { first: stop } = signals;
  try {
    return await recordRun(job, {
      lock,
      async use(held, current) {
        telemetry = await beginTelemetry(context, current, {
          name: job.isMany ? 'rowcast.runs' : 'rowcast.run',
        });
        const run = () => use({ ...context, telemetry: telemetry?.run, lineage }, held, current, stop);
        return telemetry?.run.within(run) ?? run();
      },
      stop,
      onRecord(current) {
        record = current;
        logFields.run_id = current.attempt.runId;
        if (!job.isMany) logFields.input = nameOf(job);
      },
      onUnwritten: unwritten(log),
    });
  } finally {
    if (!job.isMany && record !== undefined) lineage?.ended(record);
    // Who has sent a signal waits for the end. The next one ends the process at once.
    const over = stop.aborted ? AbortSignal.timeout(AFTER_SIGNAL_MS) : stop;
    await Promise.all([telemetry?.close(over), lineage?.close(over)]);
    process.off('exit', onExit);
    signals.end();
  }
}

/**
 * Checks the paths of a run before it starts.
 *
 * @throws RowcastError those of `resolveRunPaths` and `planFiles`
 */
export async function checkPaths(
  context: Context,
  defined: Readonly<Record<string, unknown>>,
  reads: readonly UsedFile[],
): Promise<void> {
  const job = await readJob(context, defined, reads);
  if (job.isMany) await (await import('../score/score-files.ts')).planFiles(job);
  else await resolveRunPaths(job.places);
}

/** Writes that a run is in progress, before a training that it waits for. */
export async function recordStart(
  context: Context,
  defined: Readonly<Record<string, unknown>>,
  reads: readonly UsedFile[],
): Promise<void> {
  const { names, places } = await readJob(context, defined, reads);
  const held = await takeSummary(places);
  if (held === undefined) return;
  try {
    await new RunRecord(names, held.target).begin();
  } finally {
    await held.release();
  }
}

/** Writes the summary of a run that could not start, if it has one. */
export async function recordEarlyEnd(
  context: Context,
  defined: Readonly<Record<string, unknown>>,
  reads: readonly UsedFile[],
  error: unknown,
): Promise<void> {
  await recordRefusal(await readJob(context, defined, reads), error, unwritten(context.log));
}
