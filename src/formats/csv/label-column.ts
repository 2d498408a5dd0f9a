import type { PredictionType } from '../../base/contract/predictions.ts';
import { type Appended, MAX_LABEL_BYTES, ofKind } from '../appended.ts';
import { copyBytes, wordView } from '../bytes/word-view.ts';
import { fieldOf, fieldsOf, type Placing, unscoredFields } from './appended-fields.ts';

export interface LabelOptions extends Placing {
  predictionType: Extract<PredictionType, { kind: 'label' }>;
}

/** Appends a label, which is not empty. @throws RowcastError `cannot_quote`, also if a label of a batch needs quotes and there are none */
export function labelColumn(names: readonly string[], options: LabelOptions): Appended {
  const { predictionType, dialect, isAfterOthers } = options;
  const unscored = unscoredFields(names.length, options);
  const before = isAfterOthers ? dialect.delimiter : '';
  return {
    predictionType,
    names: fieldsOf(names, options),
    ...unscored,
    // A delimiter, two quotes, and each quote of the label twice.
    maxBytes: 3 + 2 * MAX_LABEL_BYTES,
    writer(predictions) {
      const { labels, indices } = ofKind(predictions, 'label');
      const texts = labels.map(label => wordView(Buffer.from(before + fieldOf(label, dialect))));
      return (row, into, to) => {
        const text = texts[indices[row] ?? -1] ?? unscored.empty;
        return copyBytes(text, 0, text.bytes.length, into, to);
      };
    },
  };
}
