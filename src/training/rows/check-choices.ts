import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { ColumnChoices } from './learn-columns.ts';
import { requireColumns } from './split-rows.ts';

/**
 * Checks the columns that a user named.
 *
 * @throws RowcastError `no_such_column`; `bad_option` if the predicted column is one of the features
 */
export function checkChoices(
  header: readonly string[],
  predict: string,
  { features = [], excludeFeatures = [], types = {} }: ColumnChoices,
): void {
  requireColumns(header, [...features, ...excludeFeatures, ...Object.keys(types)]);
  if (!features.includes(predict)) return;
  throw new RowcastError('bad_option', `--features: "${sanitize(predict)}" is the column to predict`, {
    hint: 'Leave it out: a report never uses the predicted column.',
  });
}
