import type { FolderLayout, SharedFolder } from './shared-folder.ts';
import type { StoredInput } from './source.ts';
import type { Target } from './target.ts';

/** What tells a changed file from an unchanged one, without reading it. */
export interface FileVersion {
  /** In bytes. */
  size: number;
  /** In milliseconds since 1970. */
  modified: number;
  /** The version that a store gives an object. */
  etag?: string | undefined;
}

/** A small file that several processes change, one after the other. */
export interface SharedDocument {
  /** @returns undefined if it does not exist. @throws what the storage throws */
  read(): Promise<Buffer | undefined>;
  /**
   * Replaces it atomically, so that no change of another process is lost.
   *
   * @param change makes the new bytes of those that are there now; may be called several times
   * @throws RowcastError `unwritable_output`, `locked`
   */
  update(change: (bytes: Buffer | undefined) => Buffer): Promise<void>;
}

/** Where bytes are stored. Another place is a folder with its backend, and a line in `backends.ts`. */
export interface Backend {
  /**
   * Opens an input.
   *
   * @param stop ends waiting for a store
   * @throws RowcastError `no_such_file`, `unreadable_input`
   * @throws Interrupted
   */
  openInput(name: string, stop?: AbortSignal): Promise<StoredInput>;
  /**
   * Finds what the name of an output refers to. Nothing is created yet.
   *
   * @param isPrivate whether only its owner may read it
   * @throws RowcastError `unwritable_output`, `unsupported_output`
   */
  resolveTarget(name: string, isPrivate: boolean): Promise<Target>;
  /** @returns undefined if there is no such file, or nothing is known of it */
  versionOf(name: string, stop?: AbortSignal): Promise<FileVersion | undefined>;
  /** Whether a name is a pattern, such as `in/2*.csv`. The name of what exists is never one. */
  isPattern(name: string, stop?: AbortSignal): Promise<boolean>;
  /** The names that a pattern matches, sorted. */
  namesMatching(pattern: string, stop?: AbortSignal): Promise<string[]>;
  document(name: string): SharedDocument;
  /** A folder that several machines see. */
  sharedFolder(path: string, layout: FolderLayout): SharedFolder;
}
