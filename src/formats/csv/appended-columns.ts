import { RowcastError } from '../../base/errors.ts';
import { writeRow } from '../../base/write-row.ts';
import { type Appended, type AppendedOptions, MAX_LABEL_BYTES } from '../appended.ts';
import { distinctNames } from '../appended-names.ts';
import { appendedValues, type MostBytes } from '../appended-values.ts';
import { type OutputColumns, ownNames } from '../output-columns.ts';
import type { Header } from './header.ts';

/**
 * The appended columns. Of a distribution: `<prefix>_<class>` in the order of the classes and, if requested,
 * `predicted_<prediction>` with the most likely class (the first one if tied). Of a label or a number:
 * `predicted_<prediction>`, or `prediction` if that is not known. Of several numbers: `<prefix>_<name>`.
 *
 * @param columns of the output, if they are not those of the input
 * @throws RowcastError `duplicate_columns` if the output already has such a column; `cannot_quote`; `bad_classes`;
 *   `bad_option` if nothing would be appended
 */
export function appendedColumns(header: Header, options: AppendedOptions, columns?: OutputColumns): Appended {
  const { dialect } = header;
  const { delimiter, quote } = dialect;
  const names = distinctNames(header, options, columns);
  const isAfterOthers = ownNames(header, columns).length > 0;
  const before = isAfterOthers ? delimiter : '';
  const isAlone = !isAfterOthers && names.length === 1;
  // Without quotes, a row that was not scored would be an empty line, which is no row.
  if (isAlone && quote === undefined)
    throw new RowcastError(
      'cannot_quote',
      'in a single column, a row that was not scored cannot be written without quotes',
      { hint: 'Keep another column, or leave out --quote none.' },
    );
  return {
    names: before + writeRow(names, dialect).slice(0, -1),
    isAlone,
    ...appendedValues(options, {
      openings: names.map((_, index) => (index === 0 ? before : delimiter)),
      missing: isAlone && quote !== undefined ? quote + quote : '',
      textValue: text => writeRow([text], dialect).slice(0, -1),
      // Two quotes, if every byte of the longest label is a quote, which is written twice.
      maxLabelBytes: 2 + 2 * MAX_LABEL_BYTES,
      maxBytes,
    }),
  };
}

/** A delimiter for each value, and a little more than is needed. */
function maxBytes({ are, numbers, numberBytes, texts, textBytes }: MostBytes): number {
  if (are === 'some') return 2 + (numbers + texts) * (1 + numberBytes) + textBytes;
  return numbers * (1 + numberBytes) + texts + textBytes + (are === 'all' ? texts : 0);
}
