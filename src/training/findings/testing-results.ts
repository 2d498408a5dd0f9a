import { writeRow } from '../../base/write-row.ts';
import { mostLikely } from '../learn/evaluation.ts';

interface TestingSplit {
  header: readonly string[];
  /** The rows, unchanged. */
  rows: readonly (readonly string[])[];
  predicts: string;
  classes: readonly string[];
  labels: readonly number[];
  probabilities: Float64Array;
}

/** The testing results: the rows' columns, the actual class, the predicted class, and a probability per class. */
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
      classes[mostLikely(own, 0, classes.length)] ?? '',
      ...Array.from(own, String),
    ]);
  });
  return writeRow([...header, ...unused(added, header)]) + lines.join('');
}

/** Makes names unique: the training data may be the output of an earlier run, which has such columns already. */
function unused(names: readonly string[], header: readonly string[]): string[] {
  return names.map(name => {
    let free = name;
    for (let i = 2; header.includes(free); i++) free = `${name}_${i}`;
    return free;
  });
}
