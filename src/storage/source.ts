import { RowcastError } from '../base/errors.ts';
import { counted, countOf } from '../base/number-text.ts';
import { reasonOf, TRY_AGAIN } from '../base/system-error.ts';
import type { StoredBytes, TextEntry } from '../base/text-of-file.ts';
import { isMissing } from './local/missing.ts';
import { isPassingAt } from './local/network-mount.ts';

/** What tells a changed input from an unchanged one; known when it is opened. */
export interface InputVersion {
  /** Size in bytes; null for a pipe. */
  readonly size: number | null;
  /** Modification time in milliseconds since 1970; null if unknown. */
  readonly modified: number | null;
  /** The version that an object store gives an object. */
  readonly etag?: string;
}

/** Identifies an input, as far as its storage allows. */
export interface Identity extends InputVersion {
  /** Absolute path, `stdin` or URL. */
  readonly path: string;
  /** Name of the compression, or of the format of a file that is not text. */
  readonly codec: string;
  /** SHA-256 of the footer of a file that is not text, which says where its columns are, in hex. */
  readonly footer?: string;
  /** Size of the uncompressed bytes; null if not known, or if they have another encoding than UTF-8. */
  readonly contentSize: number | null;
}

/** A source of bytes, decompressed and in UTF-8. */
export interface Source {
  /** For messages: as given, or `stdin`. */
  readonly name: string;
  /** The name without the suffix of a compression. */
  readonly contentName: string;
  readonly version: InputVersion;
  /**
   * The commands that decompress it and convert its encoding, each from stdin to stdout; known once some bytes were
   * read.
   */
  readonly decodedBy: readonly string[];
  /** Whether the bytes arrive as another process writes them. */
  readonly isLive: boolean;
  /** Waits for the first bytes, which show the compression. They are not lost for `chunks`. */
  identify(): Promise<Identity>;
  /**
   * The uncompressed bytes in order; can be read once. A chunk is valid until the next one is requested; an empty one
   * means that nothing arrived for a while.
   * Throws RowcastError `unreadable_input`, `bad_gzip`, `bad_zstd`, `no_zstd`, `bad_encoding`.
   */
  readonly chunks: AsyncIterator<Buffer>;
  /** Its bytes as they are stored; undefined if the input is live. */
  readonly stored: StoredBytes | undefined;
  /**
   * Continues at an offset of an uncompressed input that is not live.
   *
   * @param entry where to begin in a file that is not text
   */
  seek(offset: number, entry?: TextEntry): void;
  /**
   * The last place at or before an offset where reading can begin again, among those that were read; undefined for a
   * file that is text.
   */
  entryBefore(offset: number): TextEntry | undefined;
  /**
   * SHA-256 of the raw bytes in hex; null if they were not read to the end. Must be requested when the source is
   * opened.
   */
  sha256(): Promise<string | null>;
  /** @throws RowcastError `input_changed` if it has changed since it was opened */
  checkUnchanged(): Promise<void>;
  close(): void;
}

/** Bytes in order, such as those of a `Readable`. A chunk is valid until the next one is requested. */
export interface ByteStream extends AsyncIterable<Buffer> {
  /** Reading fails, or ends, from now on. */
  destroy(): void;
}

/** The bytes of an input as they are stored: what a backend provides. */
export interface StoredInput {
  readonly name: string;
  readonly path: string;
  readonly version: InputVersion;
  /** All bytes; read once. */
  readonly stream: ByteStream;
  /** The bytes from an offset to another, or to the end, as often as asked; undefined if the input is live. */
  readonly streamFrom: ((offset: number, end?: number) => ByteStream) | undefined;
  /** @throws RowcastError `input_changed` */
  checkUnchanged(): Promise<void>;
}

/** Bytes of one read of a stream. */
export const CHUNK_BYTES = 64 << 10;

/** @param severity of an error that does not pass by itself */
export function unreadable(
  file: string,
  cause: NodeJS.ErrnoException,
  severity: 'refused' | 'stopped' = 'refused',
): RowcastError {
  if (isMissing(cause))
    return new RowcastError('no_such_file', 'no such file', {
      severity,
      location: { file },
      cause,
      hint: 'Check the path.',
    });
  const isTemporary = isPassingAt(file, cause);
  return new RowcastError('unreadable_input', `cannot read the input: ${reasonOf(cause)}`, {
    severity: isTemporary ? 'temporary' : severity,
    location: { file },
    cause,
    ...(isTemporary && { hint: TRY_AGAIN }),
  });
}

/** @param sizes before and now */
export function inputChanged(file: string, [before, now]: readonly [number, number]): RowcastError {
  const isResized = before !== now;
  const sizes = isResized ? ` (it had ${countOf(before, 'byte')}, now it has ${counted(now)})` : '';
  return new RowcastError('input_changed', `the input changed while it was being read${sizes}`, {
    severity: 'stopped',
    location: { file },
    needsRestart: isResized,
    hint: isResized
      ? 'Score it again with --restart once nothing writes to it any more.'
      : 'Run the same command once nothing writes to it any more: it resumes if the rows that were scored are still the same.',
  });
}
