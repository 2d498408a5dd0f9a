import type { Logger } from 'pino';
import type { Environment } from './service.ts';

/** What a command is given. */
export interface Context {
  flags: Readonly<Record<string, unknown>>;
  env: Environment;
  log: Logger;
}

/** A command: its exit code, or an error that says one. */
export type Command = (context: Context) => Promise<number>;
