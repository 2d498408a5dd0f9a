import type { WordView } from '../../formats/bytes/word-view.ts';
import type { Fields } from '../../formats/records/fields.ts';
import type { FeatureColumn } from '../../scoring/feature-columns.ts';
import type { BodyWriter } from './body-writer.ts';

/** How the rows of a batch are arranged in the body of a request. */
export interface BodyLayout {
  /** Prepares what all bodies with these columns have in common. */
  open(sent: SentValues): BatchBody;
}

/** What is sent of each row. */
export interface SentValues {
  features: readonly FeatureColumn[];
  /** Values treated as missing, in addition to the empty one. */
  nulls: readonly string[];
}

export interface BatchBody {
  /** Estimated bytes of a row in a body, without its values. */
  readonly rowOverhead: number;
  /**
   * Writes the body of a whole batch, so that a layout may also write one column after the other.
   *
   * @param words the bytes of the fields
   */
  write(fields: Fields, words: WordView, into: BodyWriter): void;
}
