import type { PredictionType } from '../../base/contract/predictions.ts';
import { type Appended, MAX_LABEL_BYTES, ofKind } from '../appended.ts';
import { copyBytes, wordView } from '../bytes/word-view.ts';
import { fieldOf, fieldsOf, type Placing, unscoredFields } from './appended-fields.ts';

export interface LabelOptions extends Placing {
  predictionType: Extract<PredictionType, { kind: 'label' }>;
}

/**
 * Appends the label of each row. An empty label was rejected before: its field would be that of a row without a prediction.
 *
 * @throws RowcastError `cannot_quote` for a name; `writer`, for a label of its batch that needs quotes if the input has none
 */
export function labelColumn(names: readonly string[], options: LabelOptions): Appended {
  const { predictionType, dialect, isAfterOthers } = options;
  const unscored = unscoredFields(names.length, options);
  const before = isAfterOthers ? dialect.delimiter : '';
  return {
    predictionType,
    names: fieldsOf(names, options),
    ...unscored,
    // A delimiter and two quotes, if every byte of the longest label is a quote, which is written twice.
    maxBytes: 3 + 2 * MAX_LABEL_BYTES,
    writer(predictions) {
      const { labels, indices } = ofKind(predictions, 'label');
      // A batch has few distinct labels, so each is written once and then copied to its rows.
      const texts = labels.map(label => wordView(Buffer.from(before + fieldOf(label, dialect))));
      return (row, into, to) => {
        // An index of -1 stands for a row that is rejected.
        const text = texts[indices[row] ?? -1] ?? unscored.empty;
        return copyBytes(text, 0, text.bytes.length, into, to);
      };
    },
  };
}
