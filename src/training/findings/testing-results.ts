import { writeRow } from '../../formats/csv/write-row.ts';
import { likeliest } from './evaluation.ts';

export interface TestingSplit {
  header: readonly string[];
  /** The rows as they came. */
  rows: readonly (readonly string[])[];
  predicts: string;
  classes: readonly string[];
  labels: readonly number[];
  probabilities: Float64Array;
}

/** The testing results: the rows' own columns, the actual class, the predicted one, a probability a class. */
export function testingResultsCsv(part: TestingSplit): string {
  const { header, rows, predicts, classes, labels, probabilities } = part;
  const added = [
    `actual_${predicts}`,
    `predicted_${predicts}`,
    ...classes.map(name => `probability_${name}`),
  ];
  const lines = rows.map((row, i) => {
    const own = probabilities.subarray(i * classes.length, (i + 1) * classes.length);
    return writeRow([
      ...row,
      classes[labels[i] ?? 0] ?? '',
      classes[likeliest(own, 0, classes.length)] ?? '',
      ...Array.from(own, String),
    ]);
  });
  return writeRow([...header, ...unused(added, header)]) + lines.join('');
}

/** Names that the header does not have yet: the history may be an older run's output. */
function unused(names: readonly string[], header: readonly string[]): string[] {
  return names.map(name => {
    let free = name;
    for (let i = 2; header.includes(free); i++) free = `${name}_${i}`;
    return free;
  });
}
