import type { Logger } from 'pino';
import { exitCodes } from '../base/errors.ts';
import { Interrupted } from '../base/interrupted.ts';
import { shellWord } from '../base/shell-word.ts';
import { readVersion } from '../base/version.ts';
import { ExitCode, exitCodeOf } from '../runs/exit-code.ts';
import { type Arguments, readArguments } from './arguments/parse-arguments.ts';
import { reportFailure } from './report-failure.ts';
import { ENDING_SIGNALS } from './signals.ts';
import type { LogFields, LogFormat, LogLevel } from './terminal/log.ts';

const LAST_WORDS_MS = 500;

/** Runs a command line and sets the exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  /** What ties the lines of the JSON log to their run. */
  const logFields: LogFields = {};
  // A closed stderr does not stop a run.
  process.stderr.on('error', () => {});
  // Node would exit with 1, which means that the run finished with some rows rejected.
  process.on('uncaughtException', error => {
    reportFailure(error, argv, logFields).then(
      code => process.exit(code),
      () => process.exit(exitCodes.bug),
    );
  });
  process.exitCode = await runCommandLine(argv, logFields);
}

async function runCommandLine(argv: readonly string[], logFields: LogFields): Promise<number> {
  try {
    const given = await readArguments(argv);
    if (given.action !== 'run') {
      await print(given);
      return ExitCode.done;
    }
    const { command, flags } = given;
    if (command.load === undefined) {
      const { completionScript } = await import('./help/completion.ts');
      printToStdout(completionScript(String(flags.shell)));
      return ExitCode.done;
    }
    const [{ openLog }, { run: runCommand }, { setFlagsFromString }] = await Promise.all([
      import('./terminal/log.ts'),
      command.load(),
      import('node:v8'),
    ]);
    // On Node 20, V8 starts to optimize undici's parser after two responses, and the process cannot exit until that is
    // done, which takes a tenth of a second. Longer runs still get the optimized parser.
    setFlagsFromString('--wasm-tiering-budget=100000000');
    const logFormat: LogFormat = flags['log-format'] === 'json' ? 'json' : 'text';
    const log = openLog(logFormat, logFields, logLevelOf(flags));
    if (logFormat === 'json') logWarnings(log);
    const commandLine = commandLineOf(argv);
    return await runCommand({ flags, env: process.env, defined: {}, log, logFormat, logFields, commandLine });
  } catch (error) {
    if (!(error instanceof Interrupted)) return reportFailure(error, argv, logFields);
    endSoon(error);
    return exitCodeOf(error);
  }
}

/** With --quiet, warnings and errors; the parser has checked the level. */
function logLevelOf({ quiet, 'log-level': level }: Readonly<Record<string, unknown>>): LogLevel {
  const wanted = (level ?? 'info') as LogLevel;
  return quiet === true && wanted !== 'error' ? 'warn' : wanted;
}

/** Prints what was asked for instead of running a command. */
async function print(given: Exclude<Arguments, { action: 'run' }>): Promise<void> {
  if (given.action === 'version') {
    printToStdout(`${readVersion()}\n`);
    return;
  }
  const { commandHelp, rootHelp } = await import('./help/help-text.ts');
  const { command, isShort } = given;
  printToStdout(command === undefined ? rootHelp(isShort) : commandHelp(command, isShort));
}

function printToStdout(text: string): void {
  process.stdout.once('error', () => {}); // closed, as by `| head`
  process.stdout.write(text);
}

/**
 * A write to a pipe that nobody reads, or a file operation that hangs (a FIFO, a lost network disk), keeps the process
 * alive. After a moment for the rest of stderr, it dies from its signal: `process.exit` would wait for the thread of a
 * file operation, and not all versions of Node tell whether there is one.
 */
function endSoon({ cause }: Interrupted): void {
  const signal = ENDING_SIGNALS.find(known => known === cause);
  const end = (): void => void (signal === undefined ? process.exit() : process.kill(process.pid, signal));
  setTimeout(end, LAST_WORDS_MS).unref();
}

/** Logs Node's warnings, such as about unsafe settings, instead of letting Node print them as text. */
function logWarnings(log: Logger): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => log.warn({ event: 'node_warning', code: name }, message));
}

/** The command that resumes this run. */
function commandLineOf(argv: readonly string[]): string {
  const words = argv.filter(word => !/^--restart(=|$)/.test(word));
  return `rowcast ${words.map(shellWord).join(' ')}`;
}
