import { RowcastError } from '../../base/errors.ts';
import type { Dialect } from '../../base/parse-records.ts';
import { sanitize } from '../../base/sanitize.ts';
import { writeRow } from '../../base/write-row.ts';
import type { Appended, AppendedOptions } from '../appended.ts';
import { copyBytes, wordView } from '../bytes/word-view.ts';
import { MAX_DECIMAL_BYTES, writeDecimal } from '../bytes/write-decimal.ts';
import { chosenClasses, chosenWriter, maxDecimalBytes, type WriterOptions } from './chosen-appended.ts';
import type { Header } from './header.ts';
import { checkRenamed, type OutputColumns, ownNames, renamed } from './output-columns.ts';

/**
 * The appended columns: `<prefix>_<class>` in the order of the classes and, if requested,
 * `predicted_<column>`, the most probable class (the first one if tied).
 *
 * A number is the shortest text that reads back to the same double (ECMA-262 Number::toString), always with a
 * point.
 *
 * @param columns of the output, if they are not those of the input
 * @throws RowcastError `duplicate_columns` if the output already has such a column; `cannot_quote`; `bad_classes`
 */
export function appendedColumns(header: Header, options: AppendedOptions, columns?: OutputColumns): Appended {
  const { classes, prediction, chosen } = options;
  const { delimiter } = header.dialect;
  if (columns !== undefined) checkRenamed(header, appendedNames(options, undefined), columns);
  const names = appendedNames(options, columns);
  const own = ownNames(header, columns);
  const appended = new Set(names);
  const taken =
    own.find(name => appended.has(name)) ?? (appended.size < names.length ? repeatedOf(names) : undefined);
  if (taken !== undefined)
    throw new RowcastError('duplicate_columns', `the output would have two columns "${sanitize(taken)}"`, {
      hint: taken.startsWith('predicted_')
        ? 'The input has it already: rename it there, or leave out --prediction.'
        : 'The input has it already: give another --prefix.',
    });
  const write = (fields: readonly string[]): string => writeRow(fields, header.dialect).slice(0, -1);
  const between = delimiter.charCodeAt(0);
  const predicted = classes.map(name =>
    wordView(Buffer.from(prediction === undefined ? '' : delimiter + write([name]))),
  );
  if (chosen !== undefined || own.length === 0) {
    const fields = predicted.map(({ bytes }) => wordView(bytes.subarray(delimiter.length)));
    return chosenColumns(names, {
      classes,
      dialect: header.dialect,
      isAfterOthers: own.length > 0,
      predicted: prediction === undefined ? undefined : fields,
      chosen: chosen ?? {},
    });
  }

  return {
    classes,
    names: delimiter + write(names),
    isAlone: false,
    empty: wordView(Buffer.from(delimiter.repeat(names.length))),
    maxBytes:
      names.length +
      classes.length * MAX_DECIMAL_BYTES +
      Math.max(0, ...predicted.map(({ bytes }) => bytes.length)),
    usual: { delimiter: between, predicted: prediction === undefined ? undefined : predicted },
    write(probabilities, at, into, to) {
      let offset = to;
      let mostLikely = 0;
      for (let index = 0; index < classes.length; index++) {
        const probability = probabilities[at + index] ?? Number.NaN;
        into.view.setUint8(offset++, between);
        offset = writeDecimal(probability, into, offset);
        if (probability > (probabilities[at + mostLikely] ?? Number.NaN)) mostLikely = index;
      }
      const name = predicted[mostLikely];
      return name === undefined ? offset : copyBytes(name, 0, name.bytes.length, into, offset);
    },
  };
}

/** The names of the appended columns. */
export function appendedNames(
  { classes, prefix, prediction, chosen }: AppendedOptions,
  columns: OutputColumns | undefined,
): string[] {
  const shown =
    chosen === undefined ? classes : chosenClasses(classes, chosen).map(index => classes[index] ?? '');
  const former = shown.map(name => `${prefix}_${name}`);
  if (prediction !== undefined) former.push(`predicted_${prediction}`);
  return former.map(name => renamed(name, columns));
}

const repeatedOf = (names: readonly string[]): string | undefined =>
  names.find((name, index) => names.indexOf(name) !== index);

/** The appended columns if some are chosen, or no other column is before them. */
function chosenColumns(
  names: readonly string[],
  { dialect, ...options }: Omit<WriterOptions, 'delimiter'> & { dialect: Dialect },
): Appended {
  const { delimiter, quote } = dialect;
  const { classes, chosen, isAfterOthers, predicted = [] } = options;
  if (names.length === 0)
    throw new RowcastError('bad_option', '--probabilities none: nothing would be appended', {
      hint: 'Append the prediction with --prediction, or choose probabilities.',
    });
  const isAlone = !isAfterOthers && names.length === 1;
  if (isAlone && quote === undefined)
    throw new RowcastError(
      'cannot_quote',
      'in a single column, a row that was not scored cannot be written without quotes',
      {
        hint: 'Keep another column, or leave out --quote none.',
      },
    );
  const empty = isAlone ? `${quote}${quote}` : delimiter.repeat(names.length - (isAfterOthers ? 0 : 1));
  const longest = Math.max(MAX_DECIMAL_BYTES, maxDecimalBytes(chosen.decimals ?? 0));
  return {
    classes,
    names: (isAfterOthers ? delimiter : '') + writeRow(names, dialect).slice(0, -1),
    isAlone,
    empty: wordView(Buffer.from(empty)),
    maxBytes: 2 + names.length * (1 + longest) + Math.max(0, ...predicted.map(({ bytes }) => bytes.length)),
    write: chosenWriter({ ...options, delimiter: delimiter.charCodeAt(0) }),
  };
}
