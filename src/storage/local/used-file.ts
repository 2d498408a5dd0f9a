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
