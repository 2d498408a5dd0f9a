import type { PredictionType } from '../../base/contract/predictions.ts';
import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { Appended, AppendedOptions } from '../appended.ts';
import { chosenClasses } from './chosen-appended.ts';
import { distributionColumns } from './distribution-columns.ts';
import type { Header } from './header.ts';
import { labelColumn } from './label-column.ts';
import { numberColumns } from './number-columns.ts';
import { checkRenamed, type OutputColumns, ownNames, renamed } from './output-columns.ts';

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
  if (columns !== undefined) checkRenamed(header, appendedNames(options, undefined), columns);
  const names = appendedNames(options, columns);
  const own = ownNames(header, columns);
  checkDistinct(own, names, predictionType);
  const isAfterOthers = own.length > 0;
  switch (predictionType.kind) {
    case 'distribution':
      return distributionColumns(names, { predictionType, prediction, chosen, dialect, isAfterOthers });
    case 'label':
      return labelColumn(names, { predictionType, dialect, isAfterOthers });
    case 'numbers':
      return numberColumns(names, { predictionType, decimals: chosen?.decimals, dialect, isAfterOthers });
  }
}

/** The names of the appended columns. */
export function appendedNames(options: AppendedOptions, columns: OutputColumns | undefined): string[] {
  return namesOf(options).map(name => renamed(name, columns));
}

function namesOf({ predictionType, prefix, prediction, chosen }: AppendedOptions): string[] {
  const predicted = prediction === undefined ? 'prediction' : `predicted_${prediction}`;
  switch (predictionType.kind) {
    case 'distribution': {
      const { classes } = predictionType;
      const shown =
        chosen === undefined ? classes : chosenClasses(classes, chosen).map(index => classes[index] ?? '');
      return [...shown.map(name => `${prefix}_${name}`), ...(prediction === undefined ? [] : [predicted])];
    }
    case 'label':
      return [predicted];
    case 'numbers':
      return predictionType.names.length === 0
        ? [predicted]
        : predictionType.names.map(name => `${prefix}_${name}`);
  }
}

/** @throws RowcastError `duplicate_columns` */
function checkDistinct(
  own: readonly string[],
  names: readonly string[],
  predictionType: PredictionType,
): void {
  const appended = new Set(names);
  const taken =
    own.find(name => appended.has(name)) ?? (appended.size < names.length ? repeatedOf(names) : undefined);
  if (taken === undefined) return;
  throw new RowcastError('duplicate_columns', `the output would have two columns "${sanitize(taken)}"`, {
    hint: `The input has it already: ${remedyFor(taken, predictionType)}`,
  });
}

/** What to do about a column that the output would have twice. */
function remedyFor(taken: string, { kind }: PredictionType): string {
  if (!/^predict(ed_|ion$)/.test(taken)) return 'give another --prefix.';
  return kind === 'distribution'
    ? 'rename it there, or leave out --prediction.'
    : 'rename it there, or leave it out with --keep.';
}

const repeatedOf = (names: readonly string[]): string | undefined =>
  names.find((name, index) => names.indexOf(name) !== index);
