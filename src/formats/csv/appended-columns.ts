import type { Appended, AppendedOptions } from '../appended.ts';
import { distinctNames } from '../appended-names.ts';
import { type OutputColumns, ownNames } from '../output-columns.ts';
import { distributionColumns } from './distribution-columns.ts';
import type { Header } from './header.ts';
import { labelColumn } from './label-column.ts';
import { numberColumns } from './number-columns.ts';

/**
 * The appended columns. Of a distribution: `<prefix>_<class>` in the order of the classes and, if requested,
 * `predicted_<prediction>` with the most likely class (the first one if tied). Of a label or a number:
 * `predicted_<prediction>`, or `prediction` if that is not known. Of several numbers: `<prefix>_<name>`.
 *
 * @param columns of the output, if they are not those of the input
 * @throws RowcastError `duplicate_columns` if the output already has such a column; `cannot_quote`; `bad_classes`
 */
export function appendedColumns(header: Header, options: AppendedOptions, columns?: OutputColumns): Appended {
  const { predictionType, prediction, chosen } = options;
  const { dialect } = header;
  const names = distinctNames(header, options, columns);
  const isAfterOthers = ownNames(header, columns).length > 0;
  switch (predictionType.kind) {
    case 'distribution':
      return distributionColumns(names, { predictionType, prediction, chosen, dialect, isAfterOthers });
    case 'label':
      return labelColumn(names, { predictionType, dialect, isAfterOthers });
    case 'numbers':
      return numberColumns(names, { predictionType, decimals: chosen?.decimals, dialect, isAfterOthers });
  }
}
