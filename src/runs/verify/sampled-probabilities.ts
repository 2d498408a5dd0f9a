import { sanitize } from '../../base/sanitize.ts';
import { predictedClass, readNumber, thresholdsOf } from '../../formats/appended.ts';
import { latin1FieldOf } from './check-prediction.ts';
import {
  type AgainProbabilities,
  type CompareFields,
  otherColumns,
  type SampledColumns,
} from './predicted-again.ts';

/** How much a probability may differ if the service may calculate it in another way each time. */
const TOLERANCE = 1e-4;

/** Compares probabilities and the predicted class, as far as they were appended. @throws RowcastError `bad_option` */
export function probabilitiesComparer(
  { classes, rows }: AgainProbabilities,
  columns: SampledColumns,
  isExact: boolean,
): CompareFields {
  const { decimals, threshold, dialect, names } = columns;
  const shown = shownClasses(classes, columns);
  const fields = classes.map(name => latin1FieldOf(name, dialect));
  const thresholds = thresholdsOf(classes, threshold);
  const rounding = decimals === undefined ? 0 : 10 ** -decimals / 2;
  return (appended, row) => {
    const probabilities = rows[row] ?? [];
    const parts = appended.split(dialect.delimiter);
    for (const [place, index] of shown.entries()) {
      const [field = '', now = Number.NaN] = [parts[place], probabilities[index]];
      const written = readNumber(now, columns);
      if (field === written) continue;
      if (!isExact && Math.abs(Number(field) - now) <= TOLERANCE + rounding) continue;
      return `${sanitize(names?.[place] ?? `appended field ${place + 1}`)} is ${sanitize(field)}, but ${written} is predicted now`;
    }
    if (parts.length === shown.length) return undefined;
    const field = parts.slice(shown.length).join(dialect.delimiter);
    const now = Float64Array.from(probabilities);
    const expected = predictedClass(now, 0, thresholds);
    if (field === fields[expected]) return undefined;
    const found = fields.indexOf(field);
    const isClose =
      Math.abs((now[found] ?? Number.NaN) - (now[expected] ?? 0)) <= 2 * TOLERANCE ||
      thresholds.some((least, index) => Math.abs((now[index] ?? 0) - least) <= TOLERANCE);
    if (!isExact && found !== -1 && isClose) return undefined;
    return `"${sanitize(Buffer.from(field, 'latin1').toString())}" is predicted in the output, but "${sanitize(classes[expected] ?? '')}" now`;
  };
}

/** The class of each probability column, by its index. @throws RowcastError `bad_option` */
function shownClasses(classes: readonly string[], columns: SampledColumns): number[] {
  const { names, prefix, probabilities: chosen = 'all' } = columns;
  const listed = typeof chosen === 'string' ? undefined : [...new Set(chosen)];
  const indicesOf = (shown: readonly string[]): number[] => shown.map(name => classes.indexOf(name));
  const count = chosen === 'none' ? 0 : (listed ?? classes).length;
  const shown = names?.slice(0, count) ?? [];
  const [first] = shown;
  if (first === undefined) return indicesOf(listed ?? (chosen === 'none' ? [] : classes));
  const possible = classes
    .filter(name => first.endsWith(`_${name}`))
    .map(name => first.slice(0, -name.length));
  for (const before of [`${prefix}_`, ...possible]) {
    const indices = indicesOf(
      shown.map(name => (name.startsWith(before) ? name.slice(before.length) : name)),
    );
    if (!indices.includes(-1)) return indices;
  }
  throw otherColumns(
    columns,
    `the columns ${sanitize(shown.join(', '))} are not those of the classes`,
    `The report has the classes ${sanitize(classes.join(', '))}. Give verify the --rename and --classes of the run.`,
  );
}
