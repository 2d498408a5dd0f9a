import type { MissingStyle } from '../../base/contract/sent-types.ts';
import { RowcastError } from '../../base/errors.ts';
import { countOf } from '../../base/number-text.ts';
import { textView } from '../../formats/bytes/word-view.ts';
import type { BodyLayout } from './body-layout.ts';
import { typedCell } from './cell-type.ts';
import { checkMissing, jsonCells, valuesOfColumn } from './cells.ts';
import { checkTypes } from './check-types.ts';
import { RowsWriters } from './rows-writer.ts';

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
  open(given, memory) {
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
    const cells = jsonCells(sent.features, { cellOf: typedCell, missing });
    const writeRows = new RowsWriters(sent.nulls, memory).of(cells, valuesOfColumn);
    const opening = textView(`[{"name":${JSON.stringify(name)},"shape":[`);
    const shape = textView(`,${length}],"datatype":"${datatype}","data":[`);
    return {
      rowOverhead: cells.length,
      checkTypes: checkTypes(sent, typedCell),
      write(fields, words, into) {
        into.copy(opening);
        into.text(String(fields.rows));
        into.copy(shape);
        writeRows(fields, words, into);
        into.copy(CLOSING);
      },
    };
  },
});

const CLOSING = textView(']}]');
