import type { Predictions, PredictionType } from '../../base/contract/predictions.ts';
import { RowcastError } from '../../base/errors.ts';
import {
  type Appended,
  type AppendedOptions,
  type ChosenProbabilities,
  MAX_LABEL_BYTES,
  ofKind,
  predictedClass,
  predictedNumber,
  thresholdsOf,
} from '../appended.ts';
import { chosenClasses, distinctNames } from '../appended-names.ts';
import { MAX_DECIMAL_BYTES, writeDecimal } from '../bytes/decimals.ts';
import { copyBytes, textView, type WordView, wordView } from '../bytes/word-view.ts';
import type { Named, OutputColumns } from '../output-columns.ts';

/** Writes the value of an appended member, and returns the offset after it. */
type WriteValue = (row: number, into: WordView, to: number) => number;

/** The values of appended members, in their order. */
interface Values {
  /** The most bytes of a value. */
  readonly maxBytes: number;
  writers(predictions: Predictions): WriteValue[];
}

/**
 * The members that are appended to each object, with a comma before each.
 *
 * @throws RowcastError `duplicate_columns`; `missing_columns`; `bad_classes`; `bad_option` if nothing would be appended
 */
export function appendedMembers(
  input: Named,
  options: AppendedOptions,
  columns: OutputColumns | undefined,
): Appended {
  const names = distinctNames(input, options, columns);
  if (names.length === 0)
    throw new RowcastError('bad_option', '--probabilities none: nothing would be appended', {
      hint: 'Append the prediction with --prediction, or choose probabilities.',
    });
  const texts = names.map(name => `,${JSON.stringify(name)}:`);
  const openings = texts.map(textView);
  const empty = textView(texts.map(text => `${text}null`).join(''));
  const { predictionType, prediction, chosen } = options;
  const usual = chosen === undefined ? usualOf(predictionType, openings) : undefined;
  const values = valuesOf(predictionType, { hasPrediction: prediction !== undefined, chosen });
  return {
    predictionType,
    names: '',
    isAlone: false,
    empty,
    maxBytes: empty.bytes.length + names.length * values.maxBytes,
    ...(usual && { usual }),
    writer(predictions) {
      const writers = values.writers(predictions);
      return (row, into, to) => {
        let at = to;
        for (let i = 0; i < openings.length; i++) {
          const opening = openings[i] as WordView; // one for each value
          at = copyBytes(opening, 0, opening.bytes.length, into, at);
          at = (writers[i] as WriteValue)(row, into, at);
        }
        return at;
      };
    },
  };
}

/** All probabilities, each behind its name, and perhaps the prediction. */
function usualOf(type: PredictionType, openings: readonly WordView[]): Appended['usual'] {
  if (type.kind !== 'distribution') return undefined;
  const { classes } = type;
  const name = openings[classes.length];
  return {
    openings: openings.slice(0, classes.length),
    predicted:
      name && classes.map(text => wordView(Buffer.concat([name.bytes, Buffer.from(JSON.stringify(text))]))),
  };
}

interface ValueOptions {
  hasPrediction: boolean;
  chosen: ChosenProbabilities | undefined;
}

function valuesOf(type: PredictionType, options: ValueOptions): Values {
  switch (type.kind) {
    case 'distribution':
      return probabilities(type.classes, options);
    case 'label':
      return label;
    case 'numbers':
      return numbers(Math.max(1, type.names.length), options.chosen?.decimals);
  }
}

function probabilities(classes: readonly string[], { hasPrediction, chosen = {} }: ValueOptions): Values {
  const { decimals } = chosen;
  const shown = chosenClasses(classes, chosen);
  const thresholds = thresholdsOf(classes, chosen.threshold);
  const predicted = classes.map(jsonText);
  const write = (probability: number, into: WordView, to: number): number =>
    decimals === undefined
      ? writeDecimal(probability, into, to)
      : to + into.bytes.write(probability.toFixed(decimals), to, 'latin1');
  return {
    maxBytes: Math.max(MAX_DECIMAL_BYTES, (decimals ?? 0) + 2, ...predicted.map(({ bytes }) => bytes.length)),
    writers(predictions) {
      const { probabilities: all } = ofKind(predictions, 'distribution');
      const own = shown.map(
        (index): WriteValue =>
          (row, into, to) =>
            write(all[row * classes.length + index] ?? Number.NaN, into, to),
      );
      if (!hasPrediction) return own;
      return [
        ...own,
        (row, into, to) => {
          const name = predicted[predictedClass(all, row * classes.length, thresholds)];
          return name === undefined ? to : copyBytes(name, 0, name.bytes.length, into, to);
        },
      ];
    },
  };
}

const NULL = textView('null');

const label: Values = {
  // Each byte may be a control character, which takes six bytes as an escape.
  maxBytes: 2 + 6 * MAX_LABEL_BYTES,
  writers(predictions) {
    const { labels, indices } = ofKind(predictions, 'label');
    const texts = labels.map(jsonText);
    return [
      (row, into, to) => {
        // An index of -1 stands for a row that is rejected.
        const text = texts[indices[row] ?? -1] ?? NULL;
        return copyBytes(text, 0, text.bytes.length, into, to);
      },
    ];
  },
};

/** The longest text of a double, `-2.2250738585072014e-308`; with decimals, a sign, 21 digits, and the point come before them. */
const MAX_NUMBER_BYTES = 25;

const numbers = (count: number, decimals: number | undefined): Values => ({
  maxBytes: MAX_NUMBER_BYTES + (decimals ?? 0),
  writers(predictions) {
    const { values } = ofKind(predictions, 'numbers');
    return Array.from(
      { length: count },
      (_, index): WriteValue =>
        (row, into, to) =>
          to +
          into.bytes.write(
            predictedNumber(values[row * count + index] ?? Number.NaN, decimals),
            to,
            'latin1',
          ),
    );
  },
});

const jsonText = (text: string): WordView => textView(JSON.stringify(text));
