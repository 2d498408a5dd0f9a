import { RowcastError } from '../base/errors.ts';
import { ClosedPipe } from '../base/interrupted.ts';
import { sanitizeLines } from '../base/sanitize.ts';
import { exitCodeOf } from '../runs/exit-code.ts';
import type { Context } from './context.ts';
import { describeFailure, failureFields, failureMessage } from './failure-text.ts';
import { liveLines } from './terminal/live-lines.ts';
import type { LogFields, LogFormat } from './terminal/log.ts';

/**
 * Writes the error that ended a command to stderr, as the last line and in the chosen log format.
 *
 * @returns the exit code
 */
export async function reportFailure(
  failure: unknown,
  argv: readonly string[],
  fields: LogFields = {},
): Promise<number> {
  const error = isCwdMissing(failure) ? noWorkingDirectory(failure) : failure;
  if (error instanceof ClosedPipe) return exitCodeOf(error);
  if (logFormatOf(argv) === 'json') {
    const { openLog } = await import('./terminal/log.ts');
    const message = sanitizeLines(failureMessage(error)); // may quote files and services
    openLog('json', fields).error({ event: 'error', ...failureFields(error) }, message);
  } else process.stderr.write(describeFailure(error));
  return exitCodeOf(error);
}

/** Logs why one of several files was not scored. */
export function logFileFailure({ log, logFormat }: Context, error: unknown, file: string): void {
  if (error instanceof RowcastError) error.addLocation({ file });
  if (logFormat === 'text') liveLines().writeAbove(describeFailure(error));
  else log.error({ event: 'file_failed', ...failureFields(error) }, sanitizeLines(failureMessage(error)));
}

/** The chosen log format, even if the command line is invalid. */
function logFormatOf(argv: readonly string[]): LogFormat {
  const formats = argv.map((word, index) =>
    word === '--log-format' ? argv[index + 1] : /^--log-format=(.*)$/.exec(word)?.[1],
  );
  return formats.findLast(format => format !== undefined) === 'json' ? 'json' : 'text';
}

/** Whether this is the error of process.cwd, which libraries call while they are loaded. */
const isCwdMissing = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd';

const noWorkingDirectory = (cause: unknown): RowcastError =>
  new RowcastError('no_working_directory', 'the working directory is unreadable or no longer exists', {
    hint: 'Change to another directory.',
    cause,
  });
