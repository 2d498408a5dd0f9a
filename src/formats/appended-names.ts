import type { PredictionType } from '../base/contract/predictions.ts';
import { RowcastError } from '../base/errors.ts';
import { sanitize } from '../base/sanitize.ts';
import { suggestNames } from '../base/suggest-names.ts';
import type { AppendedOptions, ChosenProbabilities } from './appended.ts';
import { checkRenamed, type Named, type OutputColumns, ownNames, renamed } from './output-columns.ts';

/**
 * The names of the appended columns, which differ from each other and from those of the input.
 *
 * @throws RowcastError `duplicate_columns` if the output already has such a column; `missing_columns`; `bad_classes`;
 *   `bad_option` if there would be none
 */
export function distinctNames(
  input: Named,
  options: AppendedOptions,
  columns: OutputColumns | undefined,
): string[] {
  if (columns !== undefined) checkRenamed(input, appendedNames(options, undefined), columns);
  const names = appendedNames(options, columns);
  if (names.length === 0)
    throw new RowcastError('bad_option', '--probabilities none: nothing would be appended', {
      hint: 'Append the prediction with --prediction, or choose probabilities.',
    });
  checkDistinct(ownNames(input, columns), names, options.predictionType);
  return names;
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

/**
 * The indices of the classes whose probabilities are appended.
 *
 * @throws RowcastError `bad_classes`
 */
export function chosenClasses(
  classes: readonly string[],
  { probabilities = 'all', threshold = {} }: ChosenProbabilities,
): number[] {
  const listed = typeof probabilities === 'string' ? [] : probabilities;
  for (const name of [...listed, ...Object.keys(threshold)]) {
    if (classes.includes(name)) continue;
    const near = suggestNames(name, classes).map(other => `"${sanitize(other)}"`);
    throw new RowcastError('bad_classes', `there is no class "${sanitize(name)}"`, {
      hint:
        near.length === 0
          ? `The classes are: ${sanitize(classes.join(', '))}.`
          : `Did you mean ${near.join(' or ')}?`,
    });
  }
  if (probabilities === 'all') return classes.map((_, index) => index);
  return [...new Set(listed)].map(name => classes.indexOf(name));
}
