import { RowcastError } from '../../base/errors.ts';
import type { Dialect } from '../../base/parse-records.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { ChosenProbabilities } from '../../formats/appended.ts';
import { predictedClass, thresholdsOf } from '../../formats/predicted-class.ts';
import { latin1FieldOf } from './check-prediction.ts';
import { mismatch } from './mismatch.ts';
import type { SampledRow } from './sample.ts';

/** What rows are predicted to be now. */
export interface PredictedAgain {
  /** All classes, in the order in which a run appends them. */
  classes: readonly string[];
  /** The probabilities of each row; undefined if it is rejected. */
  rows: readonly (readonly number[] | undefined)[];
  /** Whether the same rows always get the same numbers. */
  isExact: boolean;
}

/** What tells which appended field is of which class. */
export interface SampledColumns extends ChosenProbabilities {
  /** The names of the appended columns before they were renamed; undefined if the output has no header. */
  names: readonly string[] | undefined;
  prefix: string;
  dialect: Dialect;
  /** The names of the files, for messages. */
  input: string;
  output: string;
}

/** How much a probability may differ if the service may calculate it in another way each time. */
const TOLERANCE = 1e-4;

/**
 * Compares the appended fields of rows with what is predicted for them now.
 *
 * @throws RowcastError `difference`, `bad_option`
 */
export function compareSample(
  sample: readonly SampledRow[],
  { classes, rows, isExact }: PredictedAgain,
  columns: SampledColumns,
): void {
  const { decimals, threshold, dialect, names } = columns;
  const shown = shownClasses(classes, columns);
  const fields = classes.map(name => latin1FieldOf(name, dialect));
  const thresholds = thresholdsOf(classes, threshold);
  const rounding = decimals === undefined ? 0 : 10 ** -decimals / 2;
  for (const [i, { row, inputLine, line, appended }] of sample.entries()) {
    const differs = (what: string): RowcastError =>
      mismatch(
        `${what}, in row ${row}, at ${columns.input}:${inputLine}`,
        { file: columns.output, line, row },
        'The probabilities are of another row or class, or the report, service or an option is not that of the run.',
      );
    const probabilities = rows[i];
    if (probabilities === undefined) throw differs('there are probabilities, but the row is rejected now');
    const parts = appended.split(dialect.delimiter);
    for (const [place, index] of shown.entries()) {
      const [field = '', now = Number.NaN] = [parts[place], probabilities[index]];
      const written = decimals === undefined ? String(now) : now.toFixed(decimals);
      if (field === written) continue;
      if (!isExact && Math.abs(Number(field) - now) <= TOLERANCE + rounding) continue;
      throw differs(
        `${sanitize(names?.[place] ?? `appended field ${place + 1}`)} is ${sanitize(field)}, but ${written} is predicted now`,
      );
    }
    if (parts.length === shown.length) continue;
    const field = parts.slice(shown.length).join(dialect.delimiter);
    const now = Float64Array.from(probabilities);
    const expected = predictedClass(now, 0, thresholds);
    if (field === fields[expected]) continue;
    const found = fields.indexOf(field);
    const isClose =
      Math.abs((now[found] ?? Number.NaN) - (now[expected] ?? 0)) <= 2 * TOLERANCE ||
      thresholds.some((least, index) => Math.abs((now[index] ?? 0) - least) <= TOLERANCE);
    if (!isExact && found !== -1 && isClose) continue;
    throw differs(
      `"${sanitize(Buffer.from(field, 'latin1').toString())}" is predicted in the output, but "${sanitize(classes[expected] ?? '')}" now`,
    );
  }
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
  throw new RowcastError(
    'bad_option',
    `the columns ${sanitize(shown.join(', '))} are not those of the classes`,
    {
      location: { file: columns.output, line: 1 },
      hint: `The report has the classes ${sanitize(classes.join(', '))}. Give verify the --rename and --classes of the run.`,
    },
  );
}
