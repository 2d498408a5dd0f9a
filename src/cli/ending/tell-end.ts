import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { exitCodes } from '../../base/errors.ts';
import { timeLimit } from '../../base/interrupted.ts';
import { sanitize } from '../../base/sanitize.ts';
import { absolutePath } from '../../base/scheme.ts';
import { reasonOf } from '../../base/system-error.ts';
import { readVersion } from '../../base/version.ts';
import { redacted } from '../../client/base-url.ts';
import { SECRET } from '../../library/definition/variables.ts';
import { isVariableOfDefinition } from '../../library/service/access.ts';
import { ExitCode, exitCodeOf, runErrorOf } from '../../runs/exit-code.ts';
import { postJson } from '../../runs/observers/post-json.ts';
import { summaryText } from '../../runs/observers/summary-file.ts';
import { RunTracker } from '../../runs/run-tracker.ts';
import type { RunNames } from '../../runs/summary/summary.ts';
import { wrongVariable } from '../arguments/usage-error.ts';
import type { CommandOutcome, Context } from '../context.ts';
import { untilStopped } from '../signals.ts';
import { type CommandEnding, notificationOf } from './notification.ts';

/** How long the URL, and the command, may take; and how long after a signal, when schedulers kill a process soon. */
const [NOTIFY_MS, COMMAND_MS] = [10_000, 60_000];
const [NOTIFY_AFTER_SIGNAL_MS, COMMAND_AFTER_SIGNAL_MS] = [2_000, 5_000];

/** Commands whose outcome is the summary of a run, also if none has begun. */
const OF_RUNS: readonly string[] = ['score', 'run'];

interface EndOptions {
  command: string;
  context: Context;
  notifyEnv: string | undefined;
  onEnd: string | undefined;
}

/** Executes a command, then tells how it has ended; see `tellingEnd`. */
export async function executeAndTell(
  options: EndOptions,
  execute: (context: Context) => Promise<number>,
): Promise<number> {
  const { notifyEnv } = options;
  if (notifyEnv !== undefined && !isVariableOfDefinition(notifyEnv))
    throw wrongVariable('notify-env', notifyEnv, 'ROWCAST_NOTIFY_URL');
  const startedAt = new Date().toISOString();
  let outcome: CommandOutcome = {};
  const onOutcome = (more: CommandOutcome): void => {
    outcome = { ...outcome, ...more };
  };
  let failure: { error: unknown } | undefined;
  const code = await execute({ ...options.context, onOutcome }).catch((error: unknown) => {
    failure = { error };
    return exitCodeOf(error);
  });
  outcome = { started_at: startedAt, ...outcome };
  await tellEnd(options, await endingOf(options, outcome, code, failure));
  if (failure !== undefined) throw failure.error;
  return code;
}

/** The outcome of a command with how it has ended. A run that has not begun has a summary, too. */
async function endingOf(
  { command, context }: EndOptions,
  outcome: CommandOutcome,
  code: number,
  failure: { error: unknown } | undefined,
): Promise<CommandEnding> {
  let refused: CommandOutcome = {};
  if (outcome.run_id === undefined && OF_RUNS.includes(command)) {
    const tracker = new RunTracker({ names: namesOfRefused(context) });
    refused = await (failure === undefined ? tracker.end('stopped', code) : tracker.fail(failure.error));
  }
  const known: CommandOutcome = { ...refused, ...outcome };
  const error = known.error ?? (failure === undefined ? null : runErrorOf(failure.error));
  const byExitCode =
    code === exitCodes.refused ? 'refused' : code <= ExitCode.someRejected ? 'finished' : 'stopped';
  const isFinished = known.status === 'finished' || known.status === 'skipped';
  return {
    ...known,
    command,
    status: known.status === undefined || (isFinished && error !== null) ? byExitCode : known.status,
    exit_code: code,
    error,
    started_at: known.started_at ?? '',
    finished_at: known.finished_at ?? new Date().toISOString(),
  };
}

/** Tells the URL and runs the command, both at the same time. */
async function tellEnd({ context, notifyEnv, onEnd }: EndOptions, ending: CommandEnding): Promise<void> {
  const { env, log } = context;
  const isInterrupted = ending.error?.code === 'interrupted';
  const body = notificationOf(ending);
  const send = async (stop: AbortSignal): Promise<void> => {
    if (notifyEnv === undefined) return;
    const { over, end } = timeLimit(isInterrupted ? NOTIFY_AFTER_SIGNAL_MS : NOTIFY_MS, stop);
    const reason = await notify(env, notifyEnv, body, over).finally(end);
    if (reason !== undefined)
      log.warn(
        { event: 'not_notified' },
        `the URL in ${notifyEnv} was not told how the command has ended: ${sanitize(reason)}`,
      );
  };
  const runCommandOnEnd = async (stop: AbortSignal): Promise<void> => {
    if (onEnd === undefined) return;
    const { over, end } = timeLimit(isInterrupted ? COMMAND_AFTER_SIGNAL_MS : COMMAND_MS, stop);
    const reason = await runOnEnd(context, onEnd, ending, body.text, over).catch(reasonOf).finally(end);
    if (reason !== undefined)
      log.warn({ event: 'on_end_failed' }, `the command of --on-end ${sanitize(reason)}`);
  };
  // Another signal ends the waiting.
  await untilStopped(log, {}, stop => Promise.all([send(stop), runCommandOnEnd(stop)]));
}

/** @returns why it has failed, if it has */
async function runOnEnd(
  { env, flags, defined, log, logFormat }: Context,
  command: string,
  ending: CommandEnding,
  text: string,
  over: AbortSignal,
): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'rowcast-'));
  try {
    const summary = join(folder, 'summary.json');
    await writeFile(summary, summaryText(ending), { mode: 0o600 });
    const own = commandEnvironment(env, [flags, defined], { ending, text, summary });
    const onOutput = (lines: string): void => {
      if (logFormat === 'text') process.stderr.write(lines);
      else
        for (const line of lines.split('\n'))
          if (line !== '') log.info({ event: 'on_end_output' }, sanitize(line));
    };
    return await runCommand(command, { env: own, over, onOutput });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The names of a run whose options may be wrong: without those that are not known. */
export function namesOfRefused({ flags, defined }: Pick<Context, 'flags' | 'defined'>): RunNames {
  const given = (name: string): string[] => [flags[name] ?? defined[name] ?? []].flat().map(String);
  const shown = (name: string, pipe: string): string =>
    name === '-' ? pipe : /^https?:/i.test(name) ? redacted(name) : absolutePath(name);
  const variable = given('input-env').map(name => `the URL in ${name}`);
  const inputs = given('input').map(name => shown(name, 'stdin'));
  return {
    version: readVersion(),
    input: (inputs.length > 0 ? inputs : variable).join(', '),
    output: given('output')
      .map(name => shown(name, 'stdout'))
      .join(),
    rejects: null,
    hasNamedRejects: false,
    report: given('report')[0] ?? null,
    options: {},
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Options that name variables with a secret. */
const NAMING_SECRETS = ['api-key-env', 'header-env', 'input-env', 'notify-env'];

/**
 * The environment of the command of `--on-end`: that of this one, without the secrets that only rowcast needs, and with
 * how it has ended.
 *
 * @param given flags and definition, which may name variables with secrets
 */
export function commandEnvironment(
  env: Environment,
  given: readonly Readonly<Record<string, unknown>>[],
  { ending, text, summary }: { ending: CommandEnding; text: string; summary: string },
): Environment {
  const named = new Set(
    given.flatMap(section =>
      NAMING_SECRETS.flatMap(option => JSON.stringify(section[option] ?? '').match(/[A-Za-z_]\w*/g) ?? []),
    ),
  );
  const isSecret = (name: string): boolean =>
    named.has(name) ||
    (name.startsWith('ROWCAST_') && SECRET.test(name)) ||
    name === 'OPENLINEAGE_API_KEY' ||
    /^OTEL_EXPORTER_OTLP_(?:\w+_)?HEADERS$/.test(name);
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !isSecret(name))),
    ROWCAST_EXIT_CODE: String(ending.exit_code),
    ROWCAST_STATUS: ending.status,
    ROWCAST_ERROR: ending.error?.code ?? '',
    ROWCAST_OUTPUT: ending.output ?? '',
    ROWCAST_SUMMARY: summary,
    ROWCAST_TEXT: text,
  };
}

/**
 * Runs a command in a shell. What it writes, to stdout as well, is passed on.
 *
 * @param over kills it, with all that it has started
 * @returns why it has failed, if it has
 */
export async function runCommand(
  command: string,
  { env, over, onOutput }: { env: Environment; over: AbortSignal; onOutput: (text: string) => void },
): Promise<string | undefined> {
  // In a group of its own, so that all of it can be ended.
  const child = spawn(command, { shell: true, detached: true, stdio: ['ignore', 'pipe', 'pipe'], env });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', onOutput);
  let isLate = false;
  const kill = (): void => {
    isLate = true;
    try {
      process.kill(-(child.pid ?? Number.NaN), 'SIGKILL');
    } catch {
      // It has ended in this moment.
    }
  };
  over.addEventListener('abort', kill);
  if (over.aborted) kill();
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    if (isLate) return 'took too long';
    if (code === 0) return undefined;
    return code === null ? `was ended by ${signal}` : `ended with exit code ${code}`;
  } finally {
    over.removeEventListener('abort', kill);
    // What it has left running may hold the pipes.
    await new Promise(resolve => setImmediate(resolve));
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

/** Waits between the attempts, in milliseconds. */
const WAITS = [300, 900, 2_700];

/**
 * Sends what a command has come to, to the URL in a variable.
 *
 * @param over ends the waiting
 * @returns why it was not accepted, without the URL, which is a secret; undefined if it was
 */
export async function notify(
  env: Readonly<Record<string, string | undefined>>,
  variable: string,
  body: unknown,
  over: AbortSignal,
): Promise<string | undefined> {
  const given = env[variable]?.trim();
  if (given === undefined || given === '') return 'the variable is not set';
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return 'it is not an http or https URL';
  if (url.username !== '' || url.password !== '') return 'it must not contain user info';
  for (let attempt = 0; ; attempt++) {
    const failure = await postJson(body, { url }, over);
    if (failure === undefined) return undefined;
    const wait = WAITS[attempt];
    if (!failure.isPassing || wait === undefined || over.aborted) return failure.reason;
    await sleep(wait, undefined, { signal: over }).catch(() => {}); // the next attempt says that there is no time
  }
}
