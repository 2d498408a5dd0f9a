import type { PredictionType } from '../../base/contract/predictions.ts';
import { type Appended, ofKind, predictedNumber } from '../appended.ts';
import { fieldsOf, type Placing, unscoredFields } from './appended-fields.ts';

export interface NumberOptions extends Placing {
  predictionType: Extract<PredictionType, { kind: 'numbers' }>;
  /** Digits after the point; by default as many as are needed to read back the same number. */
  decimals?: number | undefined;
}

/**
 * The longest text of a double in full is `-2.2250738585072014e-308` (ECMA-262 Number::toString). With decimals, it is a
 * sign, the 21 digits of a number below 1e21, and the point; the decimals come on top.
 */
const MAX_NUMBER_BYTES = 25;

/** Appends numbers. @throws RowcastError `cannot_quote` */
export function numberColumns(names: readonly string[], options: NumberOptions): Appended {
  const { predictionType, decimals, dialect, isAfterOthers } = options;
  const { length } = names;
  const delimiter = dialect.delimiter.charCodeAt(0);
  return {
    predictionType,
    names: fieldsOf(names, options),
    ...unscoredFields(length, options),
    maxBytes: length * (1 + MAX_NUMBER_BYTES + (decimals ?? 0)),
    writer(predictions) {
      const { values } = ofKind(predictions, 'numbers');
      return (row, into, to) => {
        let offset = to;
        for (let index = 0; index < length; index++) {
          if (isAfterOthers || offset > to) into.view.setUint8(offset++, delimiter);
          const text = predictedNumber(values[row * length + index] ?? Number.NaN, decimals);
          offset += into.bytes.write(text, offset, 'latin1');
        }
        return offset;
      };
    },
  };
}
