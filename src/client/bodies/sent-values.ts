import type { MissingStyle } from '../../base/contract/sent-types.ts';
import type { FeatureColumn } from '../../scoring/feature-columns.ts';

/** What is sent of each row. */
export interface SentValues {
  features: readonly FeatureColumn[];
  /** Values treated as missing, in addition to the empty one. */
  nulls: readonly string[];
  /** How a missing value is written, if the user says so; by default, as the protocol does. */
  missing?: MissingStyle | undefined;
}
