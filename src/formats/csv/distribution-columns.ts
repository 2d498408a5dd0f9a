import type { PredictionType } from '../../base/contract/predictions.ts';
import { RowcastError } from '../../base/errors.ts';
import { type Appended, type ChosenProbabilities, ofKind } from '../appended.ts';
import { MAX_DECIMAL_BYTES, writeDecimal } from '../bytes/decimals.ts';
import { copyBytes, textView, type WordView, wordView } from '../bytes/word-view.ts';
import { fieldOf, fieldsOf, type Placing, unscoredFields } from './appended-fields.ts';
import { chosenWriter, maxDecimalBytes } from './chosen-appended.ts';

type Distribution = Extract<PredictionType, { kind: 'distribution' }>;

export interface DistributionOptions extends Placing {
  predictionType: Distribution;
  /** Name of the predicted column, if it is appended. */
  prediction: string | undefined;
  chosen: ChosenProbabilities | undefined;
}

/**
 * Appends the probabilities of a distribution, and its most likely class.
 *
 * @throws RowcastError `bad_option` if nothing would be appended; `cannot_quote`; `bad_classes`
 */
export function distributionColumns(names: readonly string[], options: DistributionOptions): Appended {
  const { predictionType, prediction, chosen, dialect, isAfterOthers } = options;
  if (names.length === 0)
    throw new RowcastError('bad_option', '--probabilities none: nothing would be appended', {
      hint: 'Append the prediction with --prediction, or choose probabilities.',
    });
  const predicted =
    prediction === undefined
      ? undefined
      : predictionType.classes.map(name => wordView(Buffer.from(fieldOf(name, dialect))));
  if (chosen === undefined && isAfterOthers) return allProbabilities(names, options, predicted);
  const longest = Math.max(MAX_DECIMAL_BYTES, maxDecimalBytes(chosen?.decimals ?? 0));
  const write = chosenWriter({
    classes: predictionType.classes,
    delimiter: dialect.delimiter.charCodeAt(0),
    isAfterOthers,
    predicted,
    chosen: chosen ?? {},
  });
  return {
    predictionType,
    names: fieldsOf(names, options),
    ...unscoredFields(names.length, options),
    maxBytes: 2 + names.length * (1 + longest) + longestOf(predicted),
    writer(predictions) {
      const { probabilities, classes } = ofKind(predictions, 'distribution');
      return (row, into, to) => write(probabilities, row * classes.length, into, to);
    },
  };
}

/** All probabilities in full, after other columns: the usual case, which a kernel writes too. */
function allProbabilities(
  names: readonly string[],
  { predictionType, dialect, ...placing }: DistributionOptions,
  predicted: readonly WordView[] | undefined,
): Appended {
  const { length } = predictionType.classes;
  const between = dialect.delimiter.charCodeAt(0);
  const texts = predicted?.map(({ bytes }) =>
    wordView(Buffer.concat([Buffer.from(dialect.delimiter), bytes])),
  );
  return {
    predictionType,
    names: fieldsOf(names, { dialect, ...placing }),
    ...unscoredFields(names.length, { dialect, ...placing }),
    maxBytes: names.length + length * MAX_DECIMAL_BYTES + longestOf(texts),
    usual: { openings: Array(length).fill(textView(dialect.delimiter)), predicted: texts },
    writer(predictions) {
      const { probabilities } = ofKind(predictions, 'distribution');
      return (row, into, to) => {
        const at = row * length;
        let offset = to;
        let mostLikely = 0;
        for (let index = 0; index < length; index++) {
          const probability = probabilities[at + index] ?? Number.NaN;
          into.view.setUint8(offset++, between);
          offset = writeDecimal(probability, into, offset);
          if (probability > (probabilities[at + mostLikely] ?? Number.NaN)) mostLikely = index;
        }
        const name = texts?.[mostLikely];
        return name === undefined ? offset : copyBytes(name, 0, name.bytes.length, into, offset);
      };
    },
  };
}

const longestOf = (texts: readonly WordView[] | undefined): number =>
  Math.max(0, ...(texts ?? []).map(({ bytes }) => bytes.length));
