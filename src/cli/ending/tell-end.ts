import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exitCodes } from '../../base/errors.ts';
import { timeLimit } from '../../base/interrupted.ts';
import { sanitize } from '../../base/sanitize.ts';
import { reasonOf } from '../../base/system-error.ts';
import { ExitCode, exitCodeOf } from '../../runs/exit-code.ts';
import { summaryText } from '../../runs/observers/summary-file.ts';
import { runErrorOf } from '../../runs/run-error.ts';
import { RunRecord } from '../../runs/run-record.ts';
import type { Context, Outcome } from '../context.ts';
import { onSignals } from '../signals.ts';
import { namesOfRefused } from './names-of-refused.ts';
import { type Ending, notificationOf } from './notification.ts';
import { commandEnvironment, runCommand } from './run-command.ts';
import { checkVariable, notify } from './send-notification.ts';

type Section = Readonly<Record<string, unknown>>;

/** How long the URL, and the command, may take; and how long after a signal, when schedulers kill a process soon. */
const [NOTIFY_MS, COMMAND_MS] = [10_000, 60_000];
const [NOTIFY_AFTER_SIGNAL_MS, COMMAND_AFTER_SIGNAL_MS] = [2_000, 5_000];

/** Commands whose outcome is the summary of a run, also if none has begun. */
const OF_RUNS: readonly string[] = ['score', 'run'];

interface Told {
  command: string;
  context: Context;
  /** The `score` section of a definition. */
  defined: Section;
  notifyEnv: string | undefined;
  onEnd: string | undefined;
}

/** Executes a command, then tells how it has ended; see `tellingEnd`. */
export async function executeAndTell(
  told: Told,
  execute: (context: Context) => Promise<number>,
): Promise<number> {
  if (told.notifyEnv !== undefined) checkVariable(told.notifyEnv);
  const startedAt = new Date().toISOString();
  let outcome: Outcome = {};
  const onOutcome = (more: Outcome): void => {
    outcome = { ...outcome, ...more };
  };
  let failure: Failure | undefined;
  const code = await execute({ ...told.context, onOutcome }).catch((error: unknown) => {
    failure = { error };
    return exitCodeOf(error);
  });
  await tellEnd(
    told,
    await endingOf(told, { outcome: { started_at: startedAt, ...outcome }, code, failure }),
  );
  if (failure !== undefined) throw failure.error;
  return code;
}

interface Failure {
  error: unknown;
}

/** The outcome of a command with how it has ended. */
async function endingOf(
  { command, context, defined }: Told,
  { outcome, code, failure }: { outcome: Outcome; code: number; failure: Failure | undefined },
): Promise<Ending> {
  const isUnknown = outcome.run_id === undefined && OF_RUNS.includes(command);
  const refused = isUnknown ? await refusedRun(namesOfRefused(context, defined), code, failure) : {};
  const known: Outcome = { ...refused, ...outcome };
  const error = known.error ?? (failure === undefined ? null : runErrorOf(failure.error));
  const usual =
    code === exitCodes.refused ? 'refused' : code <= ExitCode.someRejected ? 'finished' : 'stopped';
  const isFinished = known.status === 'finished' || known.status === 'skipped';
  return {
    ...known,
    command,
    status: known.status === undefined || (isFinished && error !== null) ? usual : known.status,
    exit_code: code,
    error,
    started_at: known.started_at ?? '',
    finished_at: known.finished_at ?? new Date().toISOString(),
  };
}

/** The summary of a run that has not begun. */
async function refusedRun(
  names: ReturnType<typeof namesOfRefused>,
  code: number,
  failure: Failure | undefined,
): Promise<Outcome> {
  const record = new RunRecord({ names });
  return failure === undefined ? record.end('stopped', code) : record.fail(failure.error);
}

/** Tells the URL and runs the command, both at the same time. */
async function tellEnd({ context, defined, notifyEnv, onEnd }: Told, ending: Ending): Promise<void> {
  const { env, log } = context;
  const isInterrupted = ending.error?.code === 'interrupted';
  // Another signal ends the waiting.
  const signals = onSignals({});
  const within = (usual: number, afterSignal: number) =>
    timeLimit(isInterrupted ? afterSignal : usual, signals.first);
  const body = notificationOf(ending);
  const send = async (): Promise<void> => {
    if (notifyEnv === undefined) return;
    const { over, end } = within(NOTIFY_MS, NOTIFY_AFTER_SIGNAL_MS);
    const reason = await notify(env, notifyEnv, body, over).finally(end);
    if (reason !== undefined)
      log.warn(
        { event: 'not_notified' },
        `the URL in ${notifyEnv} was not told how the command has ended: ${sanitize(reason)}`,
      );
  };
  const run = async (): Promise<void> => {
    if (onEnd === undefined) return;
    const { over, end } = within(COMMAND_MS, COMMAND_AFTER_SIGNAL_MS);
    const reason = await runOnEnd(context, defined, { command: onEnd, ending, text: body.text, over })
      .catch(reasonOf)
      .finally(end);
    if (reason !== undefined)
      log.warn({ event: 'on_end_failed' }, `the command of --on-end ${sanitize(reason)}`);
  };
  try {
    await Promise.all([send(), run()]);
  } finally {
    signals.end();
  }
}

interface OnEnd {
  command: string;
  ending: Ending;
  text: string;
  over: AbortSignal;
}

/** @returns why it has failed, if it has */
async function runOnEnd(
  { env, flags, log, logFormat }: Context,
  defined: Section,
  { command, ending, text, over }: OnEnd,
): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'rowcast-'));
  try {
    const summary = join(folder, 'summary.json');
    await writeFile(summary, summaryText(ending), { mode: 0o600 });
    const told = commandEnvironment(env, [flags, defined], { ending, text, summary });
    const onOutput = (lines: string): void => {
      if (logFormat === 'text') process.stderr.write(lines);
      else
        for (const line of lines.split('\n'))
          if (line !== '') log.info({ event: 'on_end_output' }, sanitize(line));
    };
    return await runCommand(command, { env: told, over, onOutput });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
