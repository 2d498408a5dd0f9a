import type { Logger } from 'pino';
import type { Environment } from './choose-service.ts';
import type { LogFormat } from './terminal/log.ts';

/** What a command is given. */
export interface Context {
  flags: Readonly<Record<string, unknown>>;
  env: Environment;
  log: Logger;
  /** How the lines of the log look, for what is written to stderr beside them. */
  logFormat: LogFormat;
  /** The command as it was typed, quoted for a shell; a key never stands in it. */
  commandLine: string;
}

/** A command: its exit code, or an error that says one. */
export type Command = (context: Context) => Promise<number>;
