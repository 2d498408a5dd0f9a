import { RowcastError, type Severity } from '../base/errors.ts';
import { isDiskFull, reasonOf, TRY_AGAIN } from '../base/system-error.ts';
import type { DurableOutput } from './durable-output.ts';
import { isPassingAt } from './local/network-mount.ts';

/** What the name of an output refers to. */
export interface Target {
  /** For messages: as given, or `stdout`. */
  readonly name: string;
  /** The path of a regular file, which need not exist yet; symbolic links are followed. Undefined for anything else. */
  readonly path: string | undefined;
  /**
   * What a run needs to write to it so that a killed run can be resumed. Undefined if bytes are written to their
   * destination directly.
   */
  readonly durable?: DurableOutput | undefined;
  readonly isStdout: boolean;
  /** Whether only the owner of the file may read it, whatever the umask allows. */
  readonly isPrivate?: boolean;
  /** All local files that are used to write to it, to be compared with others. */
  usedFiles(what: string, option: string): UsedFile[];
  /**
   * Opens it for writing in order, without resume.
   *
   * @param stop aborts waiting for the reader of a FIFO
   * @throws RowcastError `unwritable_output`
   */
  open(stop?: AbortSignal): Promise<Sink>;
}

/** @param message what could not be written */
export const diskFull = (message: string, file: string, cause: unknown): RowcastError =>
  new RowcastError('disk_full', message, {
    severity: 'temporary',
    location: { file },
    hint: 'Free disk space, then run the same command again.',
    cause,
  });

/** @param severity of an error that does not pass by itself */
export function unwritable(file: string, cause: Error, severity: Severity = 'refused'): RowcastError {
  const reason = reasonOf(cause);
  const message = `cannot write the output: ${reason}`;
  if (isDiskFull(cause)) return diskFull(message, file, cause);
  const isTemporary = isPassingAt(file, cause);
  const lasting = /^it is a folder/.test(reason)
    ? 'Give the path of a file.'
    : 'Check that its folder exists and may be written to.';
  return new RowcastError('unwritable_output', message, {
    severity: isTemporary ? 'temporary' : severity,
    location: { file },
    hint: isTemporary ? TRY_AGAIN : lasting,
    cause,
  });
}

/** A destination for bytes, written in order, without resume. */
export interface Sink {
  /**
   * @param bytes may be reused once they were written
   * @throws RowcastError `unwritable_output`; ClosedPipe if the reader has closed the pipe
   */
  write(bytes: Buffer): Promise<void>;
  /** Finishes the output: a file now appears under its name. */
  close(): Promise<void>;
  /** Discards the output: a file does not appear. */
  abandon(): Promise<void>;
}

/** A file that a command uses or may use. */
export interface UsedFile {
  /** A path, or the descriptor of an open file. */
  at: string | number;
  /** What it is, for messages: `the rejects file`. */
  what: string;
  /** The option to change if it is in the way. */
  option: string;
  /** Whether its name is another file's name with a suffix. */
  isDerived?: boolean;
  /** Whether files named like this one plus a dot and more are used too, as locks do. */
  isFamily?: boolean;
  /** Whether it is a folder of which all files are used. */
  isFolder?: boolean;
}
