import { writeRow } from '../../base/write-row.ts';
import { mostLikely } from '../learn/evaluation.ts';

interface TestingRows {
  header: readonly string[];
  /** The rows, unchanged. */
  rows: readonly (readonly string[])[];
}

interface PredictedClasses extends TestingRows {
  predicts: string;
  classes: readonly string[];
  labels: readonly number[];
  probabilities: Float64Array;
}

/** The testing results of classes: the rows' columns, the actual and the predicted class, a probability per class. */
export function testingResultsCsv(part: PredictedClasses): string {
  const { predicts, classes, labels, probabilities } = part;
  return extendedCsv(part, {
    added: [`actual_${predicts}`, `predicted_${predicts}`, ...classes.map(name => `probability_${name}`)],
    valuesOf(row) {
      const own = probabilities.subarray(row * classes.length, (row + 1) * classes.length);
      return [
        classes[labels[row] ?? 0] ?? '',
        classes[mostLikely(own, 0, classes.length)] ?? '',
        ...Array.from(own, String),
      ];
    },
  });
}

/** Rows as a CSV, with columns that are added to them. */
export const extendedCsv = (
  { header, rows }: TestingRows,
  { added, valuesOf }: { added: readonly string[]; valuesOf(row: number): readonly string[] },
): string =>
  writeRow([...header, ...unused(added, header)]) +
  rows.map((row, i) => writeRow([...row, ...valuesOf(i)])).join('');

/** Makes names unique: the training data may be the output of an earlier run, which has such columns already. */
function unused(names: readonly string[], header: readonly string[]): string[] {
  return names.map(name => {
    let free = name;
    for (let i = 2; header.includes(free); i++) free = `${name}_${i}`;
    return free;
  });
}
