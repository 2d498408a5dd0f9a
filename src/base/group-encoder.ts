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
