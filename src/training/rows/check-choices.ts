import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { ColumnChoices } from './learn-columns.ts';
import { requireColumns } from './split-rows.ts';

/** The columns that a user named, besides the predicted one. */
export const namedColumns = ({
  features = [],
  excludeFeatures = [],
  types = {},
}: ColumnChoices): string[] => [...features, ...excludeFeatures, ...Object.keys(types)];

/**
 * Checks the columns that a user named.
 *
 * @throws RowcastError `no_such_column`; `bad_option` if the predicted column is one of the features
 */
export function checkChoices(header: readonly string[], predict: string, choices: ColumnChoices): void {
  requireColumns(header, namedColumns(choices));
  if (choices.features?.includes(predict) !== true) return;
  throw new RowcastError('bad_option', `--features: "${sanitize(predict)}" is the column to predict`, {
    hint: 'Leave it out: a report never uses the predicted column.',
  });
}
