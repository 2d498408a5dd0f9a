import { numbersPerRow } from '../../base/contract/predictions.ts';
import { sanitize } from '../../base/sanitize.ts';
import { readNumber } from '../../formats/appended.ts';
import { latin1FieldOf } from './check-prediction.ts';
import {
  type AgainLabels,
  type AgainNumbers,
  type CompareFields,
  otherColumns,
  type SampledColumns,
} from './predicted-again.ts';

/** How much a number may differ, as a share of it, if the service may calculate it in another way each time. */
const TOLERANCE = 1e-4;

/** Compares labels: there is no label that is nearly the same. @throws RowcastError `bad_option` */
export function labelComparer({ rows }: AgainLabels, columns: SampledColumns): CompareFields {
  const { dialect, names } = columns;
  if (names !== undefined && names.length !== 1)
    throw otherColumns(
      columns,
      `${names.length} columns are appended, but a label is predicted now`,
      'Name the report and the service that the run had.',
    );
  return (field, row) => {
    const now = rows[row] ?? '';
    if (field === latin1FieldOf(now, dialect)) return undefined;
    return `"${sanitize(Buffer.from(field, 'latin1').toString())}" is predicted in the output, but "${sanitize(now)}" now`;
  };
}

/** Compares numbers, each with that of its name. @throws RowcastError `bad_option` */
export function numbersComparer(
  { names: predicted, rows }: AgainNumbers,
  columns: SampledColumns,
  isExact: boolean,
): CompareFields {
  const { decimals, dialect, names } = columns;
  const places = placesOf(predicted, columns);
  const rounding = decimals === undefined ? 0 : 10 ** -decimals / 2;
  return (appended, row) => {
    const parts = appended.split(dialect.delimiter);
    if (parts.length !== places.length)
      return `there are ${parts.length} numbers, but ${places.length} are predicted now`;
    for (const [place, index] of places.entries()) {
      const [field = '', now = Number.NaN] = [parts[place], rows[row]?.[index]];
      const written = readNumber(now, columns);
      if (field === written) continue;
      const tolerance = TOLERANCE * Math.abs(now) + rounding;
      if (!isExact && field !== '' && Math.abs(Number(field) - now) <= tolerance) continue;
      return `${sanitize(names?.[place] ?? `appended field ${place + 1}`)} is ${sanitize(field)}, but ${written} is predicted now`;
    }
    return undefined;
  };
}

/** For each appended column, the index of its number: by the names, whose order may differ; else in their order. */
function placesOf(predicted: readonly string[], columns: SampledColumns): number[] {
  const { names, prefix } = columns;
  const count = numbersPerRow(predicted);
  const inOrder = Array.from({ length: count }, (_, index) => index);
  if (names === undefined || (count === 1 && names.length === 1)) return inOrder;
  const places = names.map(name => predicted.findIndex(own => name === `${prefix}_${own}`));
  if (places.length === count && !places.includes(-1)) return places;
  throw otherColumns(
    columns,
    `the columns ${sanitize(names.join(', '))} are not those of the numbers that are predicted now`,
    `They are named ${sanitize(predicted.join(', ')) || 'by no name'}. Give verify the --prefix and --rename of the run.`,
  );
}
