import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import { Interrupted } from '../scoring/stop.ts';
import { type Arguments, readArguments } from './arguments/parse-arguments.ts';
import { ExitCode, exitCodeOf } from './exit-codes.ts';
import { reportFailure } from './last-error.ts';
import { ENDING_SIGNALS } from './signals.ts';
import type { LogFormat } from './terminal/log.ts';
import { readVersion } from './version.ts';

const LAST_WORDS_MS = 500;

/** Does what a command line asks for, and sets the exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  // Who closes stderr does not want to hear; the run goes on.
  process.stderr.on('error', () => {});
  // Node's own exit code for it is 1, which would say that the run finished with some rows rejected.
  process.on('uncaughtException', async error => process.exit(await reportFailure(error, argv)));
  // V8 begins to optimize the parser of undici after two answers (Node 20), and no process ends before it has done so:
  // a tenth of a second. What parses more than this gets it all the same.
  setFlagsFromString('--wasm-tiering-budget=100000000');
  process.exitCode = await run(argv);
}

async function run(argv: readonly string[]): Promise<number> {
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
    const [{ openLog }, { run: runCommand }] = await Promise.all([
      import('./terminal/log.ts'),
      command.load(),
    ]);
    const logFormat: LogFormat = flags['log-format'] === 'json' ? 'json' : 'text';
    const log = openLog(logFormat);
    if (logFormat === 'json') logWarnings(log);
    return await runCommand({ flags, env: process.env, log, logFormat, commandLine: commandLineOf(argv) });
  } catch (error) {
    if (!(error instanceof Interrupted)) return reportFailure(error, argv);
    endSoon(error);
    return exitCodeOf(error);
  }
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

/** A write whose reader has stopped keeps a process from ending; what stderr holds back has until then. */
function endSoon({ cause }: Interrupted): void {
  const end = (): void => {
    // A file operation that hangs (a FIFO, a lost network disk) would keep process.exit waiting for its thread.
    const hangs = process.getActiveResourcesInfo().some(name => name.startsWith('FSReq'));
    const signal = ENDING_SIGNALS.find(known => known === cause);
    if (hangs && signal !== undefined) process.kill(process.pid, signal);
    else process.exit();
  };
  setTimeout(end, LAST_WORDS_MS).unref();
}

/** Warnings of Node, such as those of a setting that is unsafe, in place of its own lines of text. */
function logWarnings(log: Logger): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => log.warn({ code: name }, message));
}

/** The command that goes on with this one's work. */
function commandLineOf(argv: readonly string[]): string {
  const words = argv.filter(word => !/^--restart(=|$)/.test(word));
  return `rowcast ${words.map(quoted).join(' ')}`;
}

/** A word as a POSIX shell takes it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
