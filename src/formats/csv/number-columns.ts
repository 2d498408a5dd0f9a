import type { PredictionType } from '../../base/contract/predictions.ts';
import { type Appended, ofKind } from '../appended.ts';
import { fieldsOf, type Placing, unscoredFields } from './appended-fields.ts';

export interface NumberOptions extends Placing {
  predictionType: Extract<PredictionType, { kind: 'numbers' }>;
}

/** The longest text of a double: `-2.2250738585072014e-308` (ECMA-262 Number::toString), and one byte to spare. */
const MAX_NUMBER_BYTES = 25;

/** Appends numbers with as many digits as are needed to read back the same ones. @throws RowcastError `cannot_quote` */
export function numberColumns(names: readonly string[], options: NumberOptions): Appended {
  const { predictionType, dialect, isAfterOthers } = options;
  const { length } = names;
  const delimiter = dialect.delimiter.charCodeAt(0);
  return {
    predictionType,
    names: fieldsOf(names, options),
    ...unscoredFields(length, options),
    maxBytes: length * (1 + MAX_NUMBER_BYTES),
    writer(predictions) {
      const { values } = ofKind(predictions, 'numbers');
      return (row, into, to) => {
        let offset = to;
        for (let index = 0; index < length; index++) {
          if (isAfterOthers || offset > to) into.view.setUint8(offset++, delimiter);
          offset += into.bytes.write(String(values[row * length + index]), offset, 'latin1');
        }
        return offset;
      };
    },
  };
}
