import type { Logger } from 'pino';
import type { HistoryValues } from '../base/options/values/run-values.ts';
import type { Given, Section } from '../library/service/choose-service.ts';
import type { RunTelemetry } from '../runs/observers/telemetry/run-telemetry.ts';
import type { Summary } from '../runs/summary/summary.ts';
import type { Lineage } from './score/sent-events.ts';
import type { LogFields, LogFormat } from './terminal/log.ts';

/** What every command receives: its flags and environment, and its definition, of which most commands have none. */
export interface Context extends Given {
  defined: Section;
  log: Logger;
  /** Format of the log, for anything else that a command writes to stderr. */
  logFormat: LogFormat;
  /** Members of every JSON line; a command that makes one run sets them. */
  logFields: LogFields;
  /** The command as typed, quoted for a shell; empty for one of several files. It never contains a key. */
  commandLine: string;
  /** Whether the command trains the report first, so an unfinished run with the former report cannot be resumed. */
  isTrained?: boolean | undefined;
  /** What that report was trained from, unless it is kept whatever its history is. */
  history?: HistoryValues | undefined;
  /** The output of a definition with the variables in its name. */
  outputAsWritten?: string | undefined;
  /** Traces and metrics of the run that the command makes, if the environment asks for them. */
  telemetry?: RunTelemetry | undefined;
  /** Lineage of its runs, if they are sent anywhere. */
  lineage?: Lineage | undefined;
  /** To be called with what the command has come to, for those who are told when it ends. */
  onOutcome?: ((outcome: CommandOutcome) => void) | undefined;
}

/** What a command has come to: the summary of its run, or facts of a command that makes none. */
export interface CommandOutcome extends Partial<Summary> {
  /** The file of the definition that is run. */
  definition?: string;
  /** The folder of the shards, and how many of them a worker has scored. */
  folder?: string;
  shards?: number;
  /** The accuracy of the report that was trained, as its tech specs have it. */
  accuracy?: string;
  /** R² of a report of numbers. */
  r2?: string;
}

/** Runs a command; resolves to its exit code, or rejects with an error that has one. */
export type Command = (context: Context) => Promise<number>;
