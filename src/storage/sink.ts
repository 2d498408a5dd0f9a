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

/** The reader of a pipe has closed it, as `head` does. Not a failure. */
export class ClosedPipe extends Error {
  override readonly name = 'ClosedPipe';
}
