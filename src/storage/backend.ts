import type { StoredInput } from './source.ts';
import type { Target } from './target.ts';

/** Where bytes are stored. Another place is a folder with its backend, and a line in `backends.ts`. */
export interface Backend {
  /**
   * Opens an input.
   *
   * @throws RowcastError `no_such_file`, `unreadable_input`
   */
  openInput(name: string): Promise<StoredInput>;
  /**
   * Finds what the name of an output refers to. Nothing is created yet.
   *
   * @param isPrivate whether only its owner may read it
   * @throws RowcastError `unwritable_output`, `bad_compression`
   */
  resolveTarget(name: string, isPrivate: boolean): Promise<Target>;
}
