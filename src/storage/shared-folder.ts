/**
 * Small files that all machines of a run see. Nothing is appended to and nothing is locked. What writes throws a
 * RowcastError, `disk_full` or `unwritable_output`, unless the folder is gone, which `isMissing` recognizes; what
 * reads, `unreadable_input`. Errors of a store are those of `storeError`. They are temporary if they may pass, as those
 * of a file server that is restarted.
 */
export interface SharedFolder {
  /** Where it is, for messages and for the outputs in it: a path or a URL. */
  readonly path: string;
  /** Makes it. Everything else fails if it is not there, so that a worker that was late does not make it again. */
  prepare(): Promise<void>;
  /**
   * Creates a file, durably, unless it exists. If two machines try at the same time, one succeeds.
   *
   * @returns whether it was created
   */
  create(name: string, text: string): Promise<boolean>;
  /** Replaces a file atomically. Only one process may write the same file. */
  replace(name: string, text: string): Promise<void>;
  /** The file's text; undefined if it does not exist. */
  read(name: string): Promise<string | undefined>;
  /** When a file was last written, by the clock of the storage; undefined if it does not exist. */
  modified(name: string): Promise<Date | undefined>;
  /** The names of the files in a folder, in order; none if it does not exist. */
  list(folder: string): Promise<string[]>;
  /** Removes a file, unless it does not exist. */
  remove(name: string): Promise<void>;
  /**
   * Removes all files of its layout, and the folder if nothing else is in it. @param last the file that is removed last
   */
  discard(last: string): Promise<void>;
}

/** What is in a shared folder. */
export interface FolderLayout {
  /** The folders in it. */
  folders: readonly string[];
  /** The files outside of them. */
  files: readonly string[];
  /** The one among them that is there from the first to the last moment. */
  marker: string;
}

/**
 * Whether a name in the folder belongs to its layout, so that nothing else is removed with it: somebody may have put
 * the folder where other files are. A file that was being written has more behind its name.
 */
export function isOfLayout({ folders, files }: FolderLayout, name: string): boolean {
  const [first = ''] = name.split('/', 1);
  return folders.includes(first) || files.some(file => name === file || name.startsWith(`${file}.`));
}
