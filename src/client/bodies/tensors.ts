import type { MissingStyle } from '../../base/contract/limits.ts';
import { RowcastError } from '../../base/errors.ts';
import { countOf } from '../../base/number-text.ts';
import { textView, type WordView } from '../../formats/bytes/word-view.ts';
import type { Fields } from '../../formats/records/fields.ts';
import { listNames } from '../../scoring/missing-hint.ts';
import type { BodyLayout } from './body-layout.ts';
import {
  type Cell,
  checkMissing,
  jsonCells,
  missingIn,
  type SentValues,
  typedCell,
  valuesOfColumn,
} from './cells.ts';
import { checkTypes } from './check-types.ts';
import { RowsWriters } from './rows-writer.ts';

/**
 * A tensor for each column, as the list `inputs` of the Open Inference protocol:
 *
 *     [{"name":"a","shape":[2,1],"datatype":"INT64","data":[1,2]},
 *      {"name":"b","shape":[2,1],"datatype":"BYTES","parameters":{"content_type":"str"},"data":["x","y"]}]
 *
 * An integer tensor cannot express a missing value. A batch that has one sends the column as FP64.
 */
export const tensors = (defaultMissing: MissingStyle): BodyLayout => ({
  type: 'application/json',
  open(sent, memory) {
    const missing = sent.missing ?? defaultMissing;
    checkMissing(missing, 'tensors', ['null', 'nan', 'empty']);
    requireTypes(sent);
    const writers = new RowsWriters(sent.nulls, memory);
    const isMissing = missingIn(sent.nulls);
    const cells = jsonCells(sent.features, { cellOf: typedCell, missing });
    const tensors = sent.features.map(({ name, index, type }, place) => ({
      index,
      name: textView(`${place === 0 ? '[' : ']},'}{"name":${JSON.stringify(name)},"shape":[`),
      datatype: datatypeOf(type),
      writeValues: writers.of([cells[place] as Cell], valuesOfColumn), // one for each column
    }));
    return {
      rowOverhead: 3 * tensors.length,
      checkTypes: checkTypes(sent, typedCell),
      write(fields, words, into) {
        for (const { index, name, datatype, writeValues } of tensors) {
          const { complete, withMissing } = datatype;
          into.copy(name);
          into.text(String(fields.rows));
          into.copy(
            complete === withMissing || !hasMissing(fields, index, isMissing) ? complete : withMissing,
          );
          writeValues(fields, words, into);
        }
        into.copy(CLOSING);
      },
    };
  },
});

/** The text between the number of rows and the first value. */
interface Datatype {
  readonly complete: WordView;
  /** For a batch in which a value is missing. */
  readonly withMissing: WordView;
}

/** @param type as users or the service name it; the data types of the protocol itself are kept */
function datatypeOf(type: string | undefined): Datatype {
  const datatype = (name: string, more = ''): WordView =>
    textView(`,1],"datatype":"${name}"${more},"data":[`);
  const stated = type !== undefined && /^(?:U?INT|FP)\d+$/.test(type) ? type : undefined;
  switch (typedCell(type)) {
    case 'integer':
      return { complete: datatype(stated ?? 'INT64'), withMissing: datatype('FP64') };
    case 'float':
      return always(datatype(stated ?? 'FP64'));
    case 'boolean':
      return always(datatype('BOOL'));
    default:
      return always(datatype('BYTES', ',"parameters":{"content_type":"str"}'));
  }
}

const always = (text: WordView): Datatype => ({ complete: text, withMissing: text });

function hasMissing(
  { rows, width, bytes, starts, ends }: Fields,
  index: number,
  isMissing: (bytes: Buffer, start: number, end: number) => boolean,
): boolean {
  for (let row = 0, at = index; row < rows; row++, at += width)
    if (isMissing(bytes, starts[at] ?? 0, ends[at] ?? 0)) return true;
  return false;
}

/**
 * A tensor has one type, whatever its values are. It is not taken from the values, because those of a later batch may
 * say otherwise.
 *
 * @throws RowcastError `bad_option`
 */
function requireTypes({ features }: SentValues): void {
  const unknown = features.filter(({ type }) => typedCell(type) === 'any').map(({ name }) => name);
  if (unknown.length === 0) return;
  throw new RowcastError(
    'bad_option',
    `tensors need the type of each column; unknown: ${listNames(unknown)}`,
    {
      hint: 'The service does not state them. Give them as --types COLUMN=TYPE,…, where TYPE is integer, float, boolean or text.',
    },
  );
}

const CLOSING = textView(']}]');

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
export const matrix = (
  { name, datatype, width: wanted }: MatrixInput,
  defaultMissing: MissingStyle,
): BodyLayout => ({
  type: 'application/json',
  open(given, memory) {
    const missing = given.missing ?? defaultMissing;
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
