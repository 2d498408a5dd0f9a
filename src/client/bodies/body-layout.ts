import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import type { WordView } from '../../formats/bytes/word-view.ts';
import type { Fields } from '../../formats/records/fields.ts';
import type { BodyWriter } from './body-writer.ts';
import type { SentValues } from './cells.ts';
import type { CheckTypes } from './check-types.ts';

/** How the rows of a batch are arranged in the body of a request. */
export interface BodyLayout {
  /** The media type of the body, without parameters: a charset makes some servers fail. */
  readonly type: 'application/json' | 'application/jsonlines' | 'text/csv';
  /**
   * Prepares what all bodies with these columns have in common.
   *
   * @param memory in which a kernel finds the fields of batches, if it does
   * @throws RowcastError `bad_option` if this layout cannot express a missing value so, or needs to know a column's
   *   type
   */
  open(sent: SentValues, memory?: BatchMemory): BatchBody;
}

export interface BatchBody {
  /** Estimated bytes of a row in a body, without its values. */
  readonly rowOverhead: number;
  /** Finds rows that must not be sent; missing if all values fit their columns, whatever they are. */
  readonly checkTypes?: CheckTypes | undefined;
  /**
   * Writes the body of a whole batch, so that a layout may also write one column after the other.
   *
   * @param fields of the rows to send, as `checkTypes` has left them
   * @param words the bytes of the fields
   * @param id a text that no other body has, for protocols that return it
   */
  write(fields: Fields, words: WordView, into: BodyWriter, id: string): void;
}
