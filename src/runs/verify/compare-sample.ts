import { mismatch } from './mismatch.ts';
import type { CompareFields, PredictedAgain, SampledColumns } from './predicted-again.ts';
import type { SampledRow } from './sample.ts';
import { probabilitiesComparer } from './sampled-probabilities.ts';
import { labelComparer, numbersComparer } from './sampled-values.ts';

/**
 * Compares the appended fields of rows with what is predicted for them now.
 *
 * @throws RowcastError `difference`; `bad_option` if the columns are not those of such predictions
 */
export function compareSample(
  sample: readonly SampledRow[],
  predicted: PredictedAgain,
  columns: SampledColumns,
): void {
  const compare = comparerOf(predicted, columns);
  for (const [index, { row, inputLine, line, appended }] of sample.entries()) {
    const difference =
      predicted.rows[index] === undefined
        ? 'there is a prediction, but the row is rejected now'
        : compare(appended, index);
    if (difference === undefined) continue;
    throw mismatch(
      `${difference}, in row ${row}, at ${columns.input}:${inputLine}`,
      { file: columns.output, line, row },
      'The prediction is of another row or column, or the report, service or an option is not that of the run.',
    );
  }
}

function comparerOf(predicted: PredictedAgain, columns: SampledColumns): CompareFields {
  switch (predicted.kind) {
    case 'distribution':
      return probabilitiesComparer(predicted, columns, predicted.isExact);
    case 'label':
      return labelComparer(predicted, columns);
    case 'numbers':
      return numbersComparer(predicted, columns, predicted.isExact);
  }
}
