import { type Logger, pino } from 'pino';
import { sanitizeLines } from '../../base/sanitize.ts';
import { liveLines } from './live-lines.ts';

/** The format of log lines: a sentence for people, or JSON for programs. */
export type LogFormat = 'text' | 'json';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/** Members of every JSON line, which are set once they are known. */
export interface LogFields {
  run_id?: string;
  input?: string;
  /** The folder of the shards of a run. */
  folder?: string;
}

/** Limit for log lines that wait for the reader of stderr; further lines are dropped and counted. */
const MAX_WAITING_BYTES = 1 << 20;

/**
 * Opens the log. It goes to stderr, never to stdout. No log line contains a key, or values of a persona unless a
 * service quotes them in its own message, which is shortened.
 *
 * @param level the lowest that is logged
 */
export function openLog(format: LogFormat, fields: LogFields = {}, level: LogLevel = 'info'): Logger {
  let dropped = 0;
  const lines = liveLines();
  const write = (line: string): void => {
    // The reader of the pipe has stopped reading, so what is written waits in memory.
    if (process.stderr.writableLength > MAX_WAITING_BYTES) {
      dropped++;
      return;
    }
    lines.writeAbove(format === 'json' ? line : sentenceOf(line));
    if (dropped === 0) return;
    const lost = dropped;
    dropped = 0;
    log.warn(
      { event: 'log_lines_dropped', count: lost },
      `stderr was not read: ${lost} log ${lost === 1 ? 'line was' : 'lines were'} dropped`,
    );
  };
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }), log: withEvent },
      mixin: () => ({ ...fields }),
    },
    { write },
  );
  return log;
}

/**
 * The log of one of several files, or folders: text lines begin with its name, JSON lines have the fields of its run.
 */
export const logOfFile = (log: Logger, file: string, fields: LogFields): Logger =>
  log.child({}, { msgPrefix: `${file}: `, formatters: { log: line => withEvent({ ...line, ...fields }) } });

/** Libraries, such as the web server, log without an event. */
const withEvent = (line: Record<string, unknown>): Record<string, unknown> =>
  line.event === undefined ? { event: 'other', ...line } : line;

/** For example `rowcast: in.csv:17: the record has 4 fields, the header 3 [too_many_fields]`, then what to do. */
function sentenceOf(line: string): string {
  const { msg, code, hint } = JSON.parse(line); // pino's own line
  const [codeText, hintText] = [
    code === undefined ? '' : ` [${code}]`,
    hint === undefined ? '' : `  ${hint}\n`,
  ];
  return sanitizeLines(`rowcast: ${msg}${codeText}\n${hintText}`);
}
