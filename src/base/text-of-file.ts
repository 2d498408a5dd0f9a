/** A file of which any bytes can be read. */
export interface StoredBytes {
  readonly size: number;
  /**
   * Reads the bytes `[from, to)`, which must be in the file.
   *
   * @param isKept whether they are read even if the source is closed meanwhile: a run that is being stopped still
   *   writes them
   * @throws RowcastError `unreadable_input`, `input_changed`
   */
  read(from: number, to: number, isKept?: boolean): Promise<Buffer>;
  /**
   * Makes the chunks of the source those of a text that a format makes of the file, from an offset on, and returns
   * them.
   */
  readAs(text: TextOfFile, offset: number): AsyncIterator<Buffer>;
}

/** The text that a format makes of a file that is not text, the same in every run. */
export interface TextOfFile {
  /** The name of the format, in the place of that of a compression. */
  readonly codec: string;
  /** SHA-256 of what describes the content of the file, in hex. */
  readonly footer: string;
  /** What its format makes the same text of in another thread; plain data, which structured cloning copies. */
  readonly data: unknown;
  /**
   * Its bytes from an offset on. A chunk is valid until the next one is requested.
   *
   * @param entry where to begin in the file; by default at its start
   */
  from(offset: number, entry?: TextEntry): AsyncGenerator<Buffer>;
  /** The last place before an offset, of the text that was read so far, where reading can begin. */
  entryBefore(offset: number): TextEntry | undefined;
}

/** A place in a file where reading its text can begin. */
export interface TextEntry {
  /** Offset in the text. */
  readonly offset: number;
  /** Index of the group of rows that begins there. */
  readonly group: number;
}

/** Makes a file of groups of rows, such as Parquet, of the text of the rows. */
export interface GroupEncoder {
  /** The bytes before the first group. */
  readonly start: Uint8Array;
  /**
   * Writes the next group.
   *
   * @param text of its rows
   * @param notes what the groups before it have returned
   * @returns what the end of the file needs of it; undefined if the text has no rows, and nothing was written
   */
  group(
    text: Buffer,
    notes: readonly string[],
    append: (bytes: Uint8Array) => Promise<void>,
  ): Promise<string | undefined>;
  /**
   * Whether the file that columns are copied from still has the bytes that were copied into groups.
   *
   * @param notes of the groups that were written
   * @param first index of the first group that is compared
   */
  hasCopied?(notes: readonly string[], first: number): Promise<boolean>;
  /** The bytes after the last group, in pieces, because those of many groups are many. */
  end(notes: readonly string[]): Iterable<Uint8Array>;
}
