import { type ChosenProbabilities, predictedClass, thresholdsOf } from '../appended.ts';
import { chosenClasses } from '../appended-names.ts';
import { writeDecimal } from '../bytes/decimals.ts';
import { copyBytes, type WordView } from '../bytes/word-view.ts';

/** The longest text of a probability with this many digits after the point. */
export const maxDecimalBytes = (decimals: number): number => decimals + 2;

export interface WriterOptions {
  classes: readonly string[];
  delimiter: number;
  /** Whether a delimiter is before the first field. */
  isAfterOthers: boolean;
  /** The class as a field, for each class; undefined without a prediction. */
  predicted: readonly WordView[] | undefined;
  chosen: ChosenProbabilities;
}

/** Writes the chosen probabilities and the prediction of a row. */
export function chosenWriter({ classes, delimiter, isAfterOthers, predicted, chosen }: WriterOptions) {
  const { decimals } = chosen;
  const shown = chosenClasses(classes, chosen);
  const thresholds = thresholdsOf(classes, chosen.threshold);
  return (probabilities: Float64Array, at: number, into: WordView, to: number): number => {
    let offset = to;
    for (const index of shown) {
      const probability = probabilities[at + index] ?? Number.NaN;
      if (isAfterOthers || offset > to) into.view.setUint8(offset++, delimiter);
      if (decimals === undefined) offset = writeDecimal(probability, into, offset);
      else offset += into.bytes.write(probability.toFixed(decimals), offset, 'latin1');
    }
    if (predicted === undefined) return offset;
    if (isAfterOthers || offset > to) into.view.setUint8(offset++, delimiter);
    const name = predicted[predictedClass(probabilities, at, thresholds)];
    return name === undefined ? offset : copyBytes(name, 0, name.bytes.length, into, offset);
  };
}
