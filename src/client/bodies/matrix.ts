import type { MissingStyle } from '../../base/contract/sent-types.ts';
import { RowcastError } from '../../base/errors.ts';
import { countOf } from '../../base/number-text.ts';
import { type WordView, wordView } from '../../formats/bytes/word-view.ts';
import type { BodyLayout } from './body-layout.ts';
import { typedCell } from './cell-type.ts';
import { checkTypes } from './check-types.ts';
import { checkMissing } from './missing-value.ts';
import { sentColumns } from './sent-columns.ts';

/** The only tensor of a model, whose rows are those of the input. */
export interface MatrixInput {
  name: string;
  /** A data type of the Open Inference protocol, such as FP32. */
  datatype: string;
  /** Number of columns; undefined if the model takes any. */
  width: number | undefined;
}

/**
 * All columns as one tensor of numbers, row after row, as the list `inputs` of the Open Inference protocol:
 *
 *     [{"name":"x","shape":[2,3],"datatype":"FP32","data":[1,2,3,4,5,6]}]
 *
 * The model knows columns by their places only, so they are sent in the order of the input or of `--features`.
 */
export const matrix = ({ name, datatype, width: wanted }: MatrixInput, usual: MissingStyle): BodyLayout => ({
  type: 'application/json',
  open(given) {
    const missing = given.missing ?? usual;
    checkMissing(missing, 'a matrix', ['null', 'nan']);
    const { length } = given.features;
    if (wanted !== undefined && wanted !== length)
      throw new RowcastError(
        'bad_option',
        `the model takes ${countOf(wanted, 'column')} as one matrix, and ${length} would be sent`,
        { hint: 'List them in their order with --features.' },
      );
    const sent = { ...given, features: given.features.map(column => ({ ...column, type: datatype })) };
    const columns = sentColumns(sent, { before: () => ',', cellOf: typedCell, missing });
    const [first, ...others] = columns;
    const firstOfAll = sentColumns(sent, { before: () => '', cellOf: typedCell, missing })[0];
    const opening = viewOf(`[{"name":${JSON.stringify(name)},"shape":[`);
    const shape = viewOf(`,${length}],"datatype":"${datatype}","data":[`);
    return {
      rowOverhead: columns.length,
      checkTypes: checkTypes(sent, typedCell),
      write({ rows, width, starts, ends }, words, into) {
        into.copy(opening);
        into.text(String(rows));
        into.copy(shape);
        for (let row = 0; row < rows; row++) {
          const at = row * width;
          const begins = row === 0 ? firstOfAll : first;
          begins?.write(words, starts[at + begins.index] ?? 0, ends[at + begins.index] ?? 0, into);
          for (const column of others)
            column.write(words, starts[at + column.index] ?? 0, ends[at + column.index] ?? 0, into);
        }
        into.copy(CLOSING);
      },
    };
  },
});

const viewOf = (text: string): WordView => wordView(Buffer.from(text));
const CLOSING = viewOf(']}]');
