import type { PredictionType } from '../base/contract/predictions.ts';
import {
  type Appended,
  type AppendedOptions,
  ofKind,
  predictedClass,
  predictedNumber,
  thresholdsOf,
} from './appended.ts';
import { chosenClasses } from './appended-names.ts';
import { MAX_DECIMAL_BYTES, writeDecimal } from './bytes/decimals.ts';
import { copyBytes, textView, type WordView } from './bytes/word-view.ts';

/** How a format writes appended values. */
export interface AppendedStyle {
  /** What is before each value. */
  readonly openings: readonly string[];
  /** What is in the place of a missing value. */
  readonly missing: string;
  /** A text as a value. @throws RowcastError `cannot_quote` */
  textValue(text: string): string;
  /** The most bytes of a label as a value. */
  readonly maxLabelBytes: number;
  /**
   * The most bytes of one row. Where the members of a compressed output end depends on it, so it stays the same for the
   * same columns.
   */
  maxBytes(most: MostBytes): number;
}

/** The most bytes of the values of a row. */
export interface MostBytes {
  /** `all` probabilities in full, each behind something, which a kernel can write, or only `some`, or rounded. */
  readonly are: 'all' | 'some' | 'label' | 'numbers';
  /** Values that are numbers, and the most bytes of each. */
  readonly numbers: number;
  readonly numberBytes: number;
  /** Values that are texts, of which there is at most one, and the most bytes of it. */
  readonly texts: number;
  readonly textBytes: number;
}

/** The values of one kind of predictions. */
interface Values extends MostBytes, Pick<Appended, 'writer'> {
  /** The texts of the predicted classes, with what is before them. */
  readonly predicted?: readonly WordView[] | undefined;
}

/**
 * What is appended to each record.
 *
 * @throws RowcastError `bad_classes`, `cannot_quote`
 */
export function appendedValues(
  options: AppendedOptions,
  style: AppendedStyle,
): Pick<Appended, 'predictionType' | 'empty' | 'maxBytes' | 'whole' | 'writer'> {
  const { predictionType } = options;
  const { openings, missing } = style;
  const { writer, predicted, ...most } = valuesOf(options, style);
  const whole = { openings: openings.slice(0, most.numbers).map(textView), predicted };
  return {
    predictionType,
    empty: textView(openings.map(opening => opening + missing).join('')),
    maxBytes: style.maxBytes(most),
    ...(most.are === 'all' && { whole }),
    writer,
  };
}

function valuesOf(options: AppendedOptions, style: AppendedStyle): Values {
  const { predictionType } = options;
  switch (predictionType.kind) {
    case 'distribution':
      return probabilities(predictionType, options, style);
    case 'label':
      return label(style);
    case 'numbers':
      return numbers(options, style);
  }
}

function probabilities(
  { classes }: Extract<PredictionType, { kind: 'distribution' }>,
  { prediction, chosen: given }: AppendedOptions,
  { openings, textValue }: AppendedStyle,
): Values {
  const chosen = given ?? {};
  const { decimals } = chosen;
  const shown = chosenClasses(classes, chosen);
  const thresholds = thresholdsOf(classes, chosen.threshold);
  const before = openings.map(textView);
  const last = openings.at(-1) ?? '';
  const texts = prediction === undefined ? undefined : classes.map(textValue);
  const predicted = texts?.map(text => textView(last + text));
  return {
    are: given === undefined && openings.every(opening => opening !== '') ? 'all' : 'some',
    numbers: shown.length,
    numberBytes: Math.max(MAX_DECIMAL_BYTES, (decimals ?? 0) + 2),
    texts: texts === undefined ? 0 : 1,
    textBytes: Math.max(0, ...(texts ?? []).map(text => Buffer.byteLength(text))),
    predicted,
    writer(predictions) {
      const { probabilities: all } = ofKind(predictions, 'distribution');
      return (row, into, to) => {
        const first = row * classes.length;
        let at = to;
        for (let index = 0; index < shown.length; index++) {
          const probability = all[first + (shown[index] as number)] ?? Number.NaN;
          at = copyAll(before[index] as WordView, into, at); // each value has one
          if (decimals === undefined) at = writeDecimal(probability, into, at);
          else at += into.bytes.write(probability.toFixed(decimals), at, 'latin1');
        }
        const name = predicted?.[predictedClass(all, first, thresholds)];
        return name === undefined ? at : copyAll(name, into, at);
      };
    },
  };
}

/** An empty label was rejected before: in a CSV, it would be that of a row without a prediction. */
function label({ openings: [before = ''], missing, textValue, maxLabelBytes }: AppendedStyle): Values {
  const unscored = textView(before + missing);
  return {
    are: 'label',
    numbers: 0,
    numberBytes: 0,
    texts: 1,
    textBytes: maxLabelBytes,
    writer(predictions) {
      const { labels, indices } = ofKind(predictions, 'label');
      // A batch has few distinct labels, so each is written once and then copied to its rows.
      const texts = labels.map(text => textView(before + textValue(text)));
      // An index of -1 stands for a row that is rejected.
      return (row, into, to) => copyAll(texts[indices[row] ?? -1] ?? unscored, into, to);
    },
  };
}

/**
 * The longest text of a double in full is `-2.2250738585072014e-308` (ECMA-262 Number::toString). With decimals, it is
 * a sign, the 21 digits of a number below 1e21, and the point; the decimals come on top.
 */
export const MAX_NUMBER_BYTES = 25;

function numbers({ chosen }: AppendedOptions, { openings }: AppendedStyle): Values {
  const { length } = openings;
  const decimals = chosen?.decimals;
  const before = openings.map(textView);
  return {
    are: 'numbers',
    numbers: length,
    numberBytes: MAX_NUMBER_BYTES + (decimals ?? 0),
    texts: 0,
    textBytes: 0,
    writer(predictions) {
      const { values } = ofKind(predictions, 'numbers');
      return (row, into, to) => {
        let at = to;
        for (let index = 0; index < length; index++) {
          at = copyAll(before[index] as WordView, into, at); // each value has one
          const text = predictedNumber(values[row * length + index] ?? Number.NaN, decimals);
          at += into.bytes.write(text, at, 'latin1');
        }
        return at;
      };
    },
  };
}

const copyAll = (text: WordView, into: WordView, at: number): number =>
  copyBytes(text, 0, text.bytes.length, into, at);
